// Package tuples contains code generated from payloads. A typed build replaces this placeholder.
package tuples

// LaneRoot is the type of the whole value.
type LaneRoot struct{}
