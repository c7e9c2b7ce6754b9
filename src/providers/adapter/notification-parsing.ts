import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares digests, so neither time nor length tells how much of a guess is right. */
export function isEqualInConstantTime(guess: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(guess), digest(secret))
}

/** undefined where the text is no JSON. */
export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
