// Copies of the first subject, which should measure alike.

/** Adds five copies of the first subject, with different names. */
export function withCopies(subjects) {
  const copies = [2, 3, 4, 5, 6].map((number) => ({ ...subjects[0], library: `${subjects[0].library} ${number}` }));
  return [...subjects, ...copies];
}
