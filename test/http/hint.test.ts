import { expect, test } from '@jest/globals'
import type { Notice } from '../../src/db/entities/notice.ts'
import { hint } from '../../src/engine/told.ts'

test.each([
  { ageMs: 0, more: { justNow: true } },
  { ageMs: 4_000, more: { justNow: true } },
  { ageMs: 10_000, more: {} },
])('a life hears whether a notice has just come: after $ageMs ms', ({ ageMs, more }) => {
  const receivedAt = new Date(Date.now() - ageMs)
  const notice = { uuid: 'notice', connectionUuid: 'connection', receivedAt } as Notice
  expect(hint(notice)).toEqual({ noticeUuid: 'notice', connectionUuid: 'connection', ...more })
})
