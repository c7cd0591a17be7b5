// Timing, CPU time, garbage collections and allocations.

package main

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// sink receives the results of operations, so that the compiler cannot remove them.
var sink any

type operation func(index int) error

// ran is the result of a batch.
type ran struct {
	WallNS      int64    `json:"wall_ns"`
	CPUNS       *int64   `json:"cpu_ns"`
	Collections *uint64  `json:"collections"`
	CompiledMS  *float64 `json:"compiled_ms"`
}

// run runs one batch.
func run(do operation, window []int, repeats int) (ran, error) {
	collected := collections()
	cpu := cpuNS()
	start := time.Now()
	for range repeats {
		for _, index := range window {
			if err := do(index); err != nil {
				return ran{}, err
			}
		}
	}
	wall := time.Since(start).Nanoseconds()
	result := ran{WallNS: wall}
	if after := cpuNS(); cpu != nil && after != nil {
		spent := *after - *cpu
		result.CPUNS = &spent
	}
	ended := collections() - collected
	result.Collections = &ended
	return result, nil
}

var cycles = []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}

// collections returns the number of completed garbage collections.
func collections() uint64 {
	metrics.Read(cycles)
	return cycles[0].Value.Uint64()
}

// allocated has the allocations of one operation.
type allocated struct {
	Allocs     *float64 `json:"allocs"`
	AllocBytes *float64 `json:"alloc_bytes"`
	PeakBytes  *float64 `json:"peak_bytes"`
}

// The number of operations over which allocations are counted: large enough to make allocations of
// other goroutines negligible.
const memoryOperations = 20

// memory returns the allocations of one operation, as a mean over payloads; it is unknown if there are
// none. The runtime's counters are exact, but the runtime does not provide the peak.
func memory(do operation, payloads int) (allocated, error) {
	if payloads == 0 {
		return allocated{}, nil
	}
	var allocs, bytes float64
	for index := range payloads {
		if err := do(index); err != nil {
			return allocated{}, err
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range memoryOperations {
			if err := do(index); err != nil {
				return allocated{}, err
			}
		}
		runtime.ReadMemStats(&after)
		allocs += float64(after.Mallocs-before.Mallocs) / memoryOperations
		bytes += float64(after.TotalAlloc-before.TotalAlloc) / memoryOperations
	}
	allocs /= float64(payloads)
	bytes /= float64(payloads)
	return allocated{Allocs: &allocs, AllocBytes: &bytes}, nil
}
