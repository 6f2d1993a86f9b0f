// The partitions that the clients written in Go send keys to.
//
// usage: partitions CLIENT PARTITIONS... Reads keys in hexadecimal, one a line, and writes a line
// for each: its partition of each number of partitions.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"os"
	"strconv"

	"github.com/IBM/sarama"
	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
)

func ofSarama(constructor sarama.PartitionerConstructor) func([]byte, int) int {
	partitioner := constructor("t")
	return func(key []byte, n int) int {
		message := &sarama.ProducerMessage{Topic: "t", Key: sarama.ByteEncoder(key)}
		partition, err := partitioner.Partition(message, int32(n))
		if err != nil {
			panic(err)
		}
		return int(partition)
	}
}

func ofFranz(partitioner kgo.Partitioner) func([]byte, int) int {
	topic := partitioner.ForTopic("t")
	return func(key []byte, n int) int {
		return topic.Partition(&kgo.Record{Key: key}, n)
	}
}

func ofKafkaGo(balancer kafka.Balancer) func([]byte, int) int {
	return func(key []byte, n int) int {
		partitions := make([]int, n)
		for i := range partitions {
			partitions[i] = i
		}
		return balancer.Balance(kafka.Message{Key: key}, partitions...)
	}
}

func fnv32a(key []byte) uint32 {
	hash := fnv.New32a()
	hash.Write(key)
	return hash.Sum32()
}

var clients = map[string]func([]byte, int) int{
	"sarama:hash":            ofSarama(sarama.NewHashPartitioner),
	"sarama:reference":       ofSarama(sarama.NewReferenceHashPartitioner),
	"sarama:crc32":           ofSarama(sarama.NewConsistentCRCHashPartitioner),
	"franz-go":               ofFranz(kgo.StickyKeyPartitioner(nil)),
	"franz-go:sarama-compat": ofFranz(kgo.StickyKeyPartitioner(kgo.SaramaCompatHasher(fnv32a))),
	"kafka-go:hash":          ofKafkaGo(&kafka.Hash{}),
	"kafka-go:reference-hash": ofKafkaGo(&kafka.ReferenceHash{}),
	"kafka-go:crc32":         ofKafkaGo(kafka.CRC32Balancer{}),
	"kafka-go:murmur2":       ofKafkaGo(kafka.Murmur2Balancer{}),
}

func main() {
	partition := clients[os.Args[1]]
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		key, err := hex.DecodeString(in.Text())
		if err != nil {
			panic(err)
		}
		for _, argument := range os.Args[2:] {
			n, err := strconv.Atoi(argument)
			if err != nil {
				panic(err)
			}
			fmt.Fprint(out, partition(key, n), " ")
		}
		fmt.Fprintln(out)
	}
}
