import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares digests in constant time, so that neither time nor length reveals how much of a guess is right. */
export function isEqualInConstantTime(guess: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(guess), digest(secret))
}

export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
