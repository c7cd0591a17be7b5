// Package tuples holds code made of some payloads: what stands here is replaced by a typed build.
package tuples

// LaneRoot is the whole value.
type LaneRoot struct{}
