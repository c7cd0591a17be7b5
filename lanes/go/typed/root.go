// Package typed contains code generated from payloads. A typed build replaces this placeholder.
package typed

// LaneRoot is the type of the whole value.
type LaneRoot struct{}
