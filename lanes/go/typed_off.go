//go:build !typed

package main

import "errors"

// typedSubjects lists the typed subjects, which cannot load payloads without generated types.
func typedSubjects() []subject {
	subjects := typedList()
	for i := range subjects {
		subjects[i].prepare = func(*schema) (coder, error) {
			return coder{}, errors.New("the lane was built without types of the payloads")
		}
	}
	return subjects
}
