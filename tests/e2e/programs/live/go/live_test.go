package live

import (
	"os"
	"strconv"
	"testing"
)

// WORK and FAIL as in google_benchmark.cc.

var sink uint64

func work() int {
	if steps, err := strconv.Atoi(os.Getenv("WORK")); err == nil {
		return steps
	}
	return 20000
}

func chain(steps int) uint64 {
	value := uint64(1)
	for i := 0; i < steps; i++ {
		value = value*6364136223846793005 + 1442695040888963407
	}
	return value
}

func BenchmarkPlanted(b *testing.B) {
	steps := work()
	for i := 0; i < b.N; i++ {
		sink += chain(steps)
	}
}

func BenchmarkSteady(b *testing.B) {
	if os.Getenv("FAIL") != "" {
		b.Fatal("no such file: corpus.txt")
	}
	for i := 0; i < b.N; i++ {
		sink += chain(20000)
	}
}
