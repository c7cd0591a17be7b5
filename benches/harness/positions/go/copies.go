// Copies of the first subject, which should measure alike.

package main

import "fmt"

// withCopies adds five copies of the first subject, with different names.
func withCopies(subjects []subject) []subject {
	for number := 2; number <= 6; number++ {
		copied := subjects[0]
		copied.Library = fmt.Sprintf("%s %d", copied.Library, number)
		subjects = append(subjects, copied)
	}
	return subjects
}
