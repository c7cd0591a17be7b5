// Package typed holds code made of some payloads: what stands here is replaced by a typed build.
package typed

// LaneRoot is the whole value.
type LaneRoot struct{}
