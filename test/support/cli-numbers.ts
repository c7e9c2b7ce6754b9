import { InvalidArgumentError } from 'commander'

/** Number options of the tests' programs. */

export function parsePositive(value: string): number {
  if (!(Number(value) > 0 && Number.isFinite(Number(value))))
    throw new InvalidArgumentError('Not a number above zero.')
  return Number(value)
}

export function parseWhole(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('Not a whole number.')
  return Number(value)
}
