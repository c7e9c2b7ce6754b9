/** A moment as the outside sees it: ISO 8601, UTC, six fractional digits (SPEC §1). */
export function formatTimestamp(at: Date): string {
  return `${at.toISOString().slice(0, -1)}000Z`
}
