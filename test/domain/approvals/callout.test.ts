import { describe, expect, test } from '@jest/globals'
import { findRemainingWait } from '../../../src/domain/approvals/approval.ts'
import {
  type ApprovalCallout,
  CALLOUT_APPROVER,
  findCalloutStep,
  planFirstCallout,
} from '../../../src/domain/approvals/callout.ts'
import { HOUR, SECOND } from '../../../src/domain/shared/intervals.ts'

const NOON = new Date('2026-11-29T15:00:00Z')
const after = (ms: number) => new Date(NOON.getTime() + ms)
const callout: ApprovalCallout = {
  url: 'https://shop.test/approvals',
  requestCount: 0,
  dueAt: after(5 * SECOND),
  failure: null,
}
const request = { callout, decision: null as string | null, expiresAt: after(HOUR) }
const said = (...approvers: string[]) => approvers.map(approver => ({ approver }))

test('the first request follows five seconds after the order, divided by the time scale', () => {
  expect(planFirstCallout({ calloutUrl: callout.url }, NOON)).toEqual({
    url: callout.url,
    dueAt: after(5_000),
  })
  expect(planFirstCallout({ calloutUrl: callout.url }, NOON, 100)!.dueAt).toEqual(after(50))
  expect(planFirstCallout({ calloutUrl: null }, NOON)).toBeNull()
})

describe('a call-out', () => {
  const asked = (requestCount: number) => ({ callout: { ...callout, requestCount } })
  test.each<[string, object, { approver: string }[], number, object]>([
    ['waits until it is due', {}, [], 2 * SECOND, { kind: 'wait', waitMs: 3 * SECOND }],
    ['is requested once it is due', {}, [], 5 * SECOND, { kind: 'request' }],
    ['is requested whatever persons have said', {}, said('bia', 'caio'), 5 * SECOND, { kind: 'request' }],
    ['is requested a third time', asked(2), [], 5 * SECOND, { kind: 'request' }],
    ['ends after three requests', asked(3), [], 5 * SECOND, { kind: 'end' }],
    [
      'ends only when the third may have been answered',
      asked(3),
      [],
      SECOND,
      { kind: 'wait', waitMs: 4 * SECOND },
    ],
    ['needs nothing once it is answered', {}, said(CALLOUT_APPROVER), 5 * SECOND, { kind: 'none' }],
    ['needs nothing once the order is decided', { decision: 'withdrawn' }, [], 5 * SECOND, { kind: 'none' }],
    ['needs nothing once the time of the order is over', {}, [], HOUR, { kind: 'none' }],
    ['that the account does not have needs nothing', { callout: null }, [], 5 * SECOND, { kind: 'none' }],
  ])('%s', (_, changed, given, atMs, step) => {
    expect(findCalloutStep({ ...request, ...changed }, given, after(atMs))).toEqual(step)
  })
})

test('what is left of the wait names the call-out until it has ended', () => {
  const undecided = { ...request, decision: null }
  const left = (given: { approver: string }[], ms: number) => findRemainingWait(undecided, given, after(ms))
  expect(left([], 0)).toEqual({ remainingMs: HOUR, calloutInMs: 5 * SECOND })
  expect(left([], 6 * SECOND)).toEqual({ remainingMs: HOUR - 6 * SECOND, calloutInMs: 0 })
  expect(left(said(CALLOUT_APPROVER), 0)).toEqual({ remainingMs: HOUR })
  expect(left([], HOUR)).toBeNull()
})
