import { describe, expect, test } from '@jest/globals'
import { mayTryNext } from '../../../src/domain/providers/fallback.ts'

/** SPEC §2, §4: what decides whether the next provider is tried. */

const OUTCOMES = {
  accepted: { kind: 'accepted' },
  settled: { kind: 'settled' },
  'rejected, and another may help': { kind: 'rejected', finality: 'other_may_help' },
  'rejected for a reason of the payment': { kind: 'rejected', finality: 'final' },
  unreachable: { kind: 'unreachable' },
  unknown: { kind: 'unknown' },
} as const

describe('the next provider is tried', () => {
  test('of a charge: after all but a payload, which is the charge’s', () => {
    const tried = Object.entries(OUTCOMES).filter(([, outcome]) => mayTryNext('charge', outcome))
    expect(tried.map(([name]) => name)).toEqual([
      'rejected, and another may help',
      'rejected for a reason of the payment',
      'unreachable',
      'unknown',
    ])
  })

  test('of a transfer: only where no money moved and the refusal is the provider’s own', () => {
    const tried = Object.entries(OUTCOMES).filter(([, outcome]) => mayTryNext('payout', outcome))
    expect(tried.map(([name]) => name)).toEqual(['rejected, and another may help', 'unreachable'])
  })
})
