// kinesalite on a free port of the loopback interface, which it writes to standard output.
const kinesalite = require("kinesalite");

const server = kinesalite({
  createStreamMs: 5,
  deleteStreamMs: 5,
  updateStreamMs: 5,
  shardLimit: 1000,
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
