import { expect, test } from '@jest/globals'
import { countPolls, scaleWait, WAITS } from '../../../src/domain/shared/intervals.ts'

const MINUTE = 60_000

test('a provider is polled after 5 s, 10 s, 30 s, 1 min, 5 min, then hourly (SPEC §6)', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 1_000].map(WAITS.nextPoll)).toEqual([
    5_000,
    10_000,
    30_000,
    MINUTE,
    5 * MINUTE,
    60 * MINUTE,
    60 * MINUTE,
    60 * MINUTE,
  ])
})

test('a poll that was not made because of its provider’s pace is repeated within a minute', () => {
  const waitAfter = (polls: number, code: string) => WAITS.nextPoll(countPolls(polls, code) + 1)
  expect([0, 1, 2, 3, 4, 5, 1_000].map(polls => waitAfter(polls, 'paced'))).toEqual([
    ...[5_000, 10_000, 30_000],
    ...[MINUTE, MINUTE, MINUTE, MINUTE],
  ])
  expect([3, 4, 5].map(polls => waitAfter(polls, 'timeout'))).toEqual([MINUTE, 5 * MINUTE, 60 * MINUTE])
})

test('a dispute that has just changed is polled often, then every six hours', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 100].map(WAITS.nextDisputePoll)).toEqual([
    ...[15_000, 30_000, MINUTE, 5 * MINUTE, 30 * MINUTE],
    ...[360 * MINUTE, 360 * MINUTE, 360 * MINUTE],
  ])
})

test('a recurrence whose creation has no answer is looked up at 1 and at 10 minutes, and then every 10', () => {
  const waits = [0, 1, 2, 3].map(WAITS.nextRecurrenceLookUp)
  expect(waits).toEqual([MINUTE, 9 * MINUTE, 10 * MINUTE, 10 * MINUTE])
})

test('what could not leave its worker is sent again after 0.5 s to 4 s', () => {
  expect([1, 2, 3, 4, 5, 8].map(WAITS.sendAgain)).toEqual([500, 1_000, 2_000, 2_000, 2_000, 2_000])
})

test('the other intervals are those of SPEC', () => {
  const { nextPoll: _, settleWindowAfter, ...waits } = WAITS
  expect([0, 1, 2, 3, 4].map(settleWindowAfter)).toEqual([0, 60 * MINUTE, 0, 360 * MINUTE, 360 * MINUTE])
  expect(waits).toEqual({
    turn: 60 * MINUTE,
    turnBeforeNextProvider: 10_000,
    settlementGraceAfterExpiry: MINUTE,
    absenceConfirmation: MINUTE,
    endAfterConfirmation: 60 * MINUTE,
    countRepeatedRefusal: 60 * MINUTE,
    retryReturn: 15 * MINUTE,
    retryTransfer: 15 * MINUTE,
    expireTransferAfter: 24 * 60 * MINUTE,
    alertOperatorAfter: 10 * MINUTE,
    prepareAgain: 1_000,
    repeatToFind: 10 * MINUTE,
    nextDisputePoll: expect.any(Function),
    nextBatchPoll: expect.any(Function),
    reportTurn: 5_000,
    retryBatch: MINUTE,
    firstCallout: 5_000,
    retryCallout: 10_000,
    nextMessageAttempt: expect.any(Function),
    nextRecurrenceLookUp: expect.any(Function),
    pendingRecurrencePoll: 60 * MINUTE,
    activeRecurrencePoll: 24 * 60 * MINUTE,
    sendAgain: expect.any(Function),
    rotationGrace: 24 * 60 * MINUTE,
    deliveryOverdue: 5 * MINUTE,
    payerReport: 10 * MINUTE,
  })
})

test.each([
  [5_000, 1, 5_000],
  [5_000, 1_000, 5],
  [5_000, 3, 1_667],
  [5_000, 1e9, 1],
  [1, 0.5, 2],
])('%d ms at a time scale of %d are %d ms', (waitMs, timeScale, ms) =>
  expect(scaleWait(waitMs, timeScale)).toBe(ms),
)
