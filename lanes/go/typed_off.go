//go:build !typed

package main

import "errors"

// typedSubjects are listed, but need types made from the payloads.
func typedSubjects() []subject {
	subjects := typedList()
	for i := range subjects {
		subjects[i].prepare = func(*schema) (coder, error) {
			return coder{}, errors.New("no types were made of these payloads")
		}
	}
	return subjects
}
