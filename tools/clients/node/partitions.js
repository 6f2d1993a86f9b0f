// The partitions that kafkajs sends keys to.
//
// usage: partitions.js default|legacy PARTITIONS... Reads keys in hexadecimal, one a line, and
// writes a line for each: its partition of each number of partitions.
const { Partitioners } = require("kafkajs");
const readline = require("readline");

const [, , client, ...counts] = process.argv;
const make =
  client === "legacy" ? Partitioners.LegacyPartitioner : Partitioners.DefaultPartitioner;
const partition = make();
const metadata = counts.map((count) =>
  Array.from({ length: Number(count) }, (_, partitionId) => ({ partitionId, leader: 1 })),
);

const lines = readline.createInterface({ input: process.stdin });
const out = [];
lines.on("line", (line) => {
  const message = { key: Buffer.from(line, "hex") };
  const of = (partitionMetadata) => partition({ topic: "t", partitionMetadata, message });
  out.push(metadata.map(of).join(" "));
});
lines.on("close", () => process.stdout.write(out.join("\n") + "\n"));
