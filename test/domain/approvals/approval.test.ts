import { describe, expect, test } from '@jest/globals'
import {
  type ApprovalRule,
  computeApprovalExpiry,
  decideVerdict,
  needsApproval,
} from '../../../src/domain/approvals/approval.ts'
import { CALLOUT_APPROVER } from '../../../src/domain/approvals/callout.ts'

const RULE: ApprovalRule = { aboveCents: 1_000_00, count: 2, expiresHours: 72, calloutUrl: null }
const NOON = new Date('2026-11-29T15:00:00Z')
const LATER = new Date('2026-12-02T15:00:00Z')

test.each([
  [null, 999_999_99, false],
  [RULE, 1_000_00, false],
  [RULE, 1_000_01, true],
  [{ ...RULE, aboveCents: 0 }, 1, true],
])('an order above the value of the rule needs approvals: %j %i', (rule, cents, expected) =>
  expect(needsApproval(rule, cents)).toBe(expected),
)

test('an order waits for the hours of the rule', () =>
  expect(computeApprovalExpiry(RULE, NOON)).toEqual(LATER))

describe('a verdict', () => {
  const request = { maker: 'ana@shop.com', needed: 2, expiresAt: LATER, decision: null, callout: null }
  const approved = (approver: string) => ({ verdict: 'approve' as const, approver })
  const rejected = (approver: string) => ({ verdict: 'reject' as const, approver })
  const [maker, bia, caio, dora] = ['ana@shop.com', 'bia@shop.com', 'caio@shop.com', 'dora@shop.com'] as const
  const refused = (code: string) => ({ kind: 'refused', code })
  const given = (decision: string | null) => ({ kind: 'given', decision })
  const repeated = { kind: 'repeated' }
  const server = CALLOUT_APPROVER
  const callout = { url: 'https://a.test/', requestCount: 1, dueAt: NOON, failure: null }

  test.each([
    ['of the maker is refused', {}, [], approved(maker), refused('approver_is_maker')],
    ['of the maker who rejects is refused', {}, [], rejected(maker), refused('approver_is_maker')],
    ['of the first of two decides nothing', {}, [], approved(bia), given(null)],
    ['of the second of two approves', {}, [approved(bia)], approved(caio), given('approved')],
    ['of the only one needed approves', { needed: 1 }, [], approved(bia), given('approved')],
    ['of the same person counts once', {}, [approved(bia)], approved(bia), repeated],
    [
      'of the last person decides nothing before the call-out',
      { callout },
      [approved(bia)],
      approved(caio),
      given(null),
    ],
    [
      'of the last person approves after the call-out',
      { callout },
      [approved(server), approved(bia)],
      approved(caio),
      given('approved'),
    ],
    ['of the call-out is no person’s', { callout }, [approved(bia)], approved(server), given(null)],
    [
      'of the call-out approves after the persons',
      { callout },
      [approved(bia), approved(caio)],
      approved(server),
      given('approved'),
    ],
    ['of the call-out rejects alone', { callout }, [approved(bia)], rejected(server), given('rejected')],
    ['of the call-out stays as it was first', { callout }, [approved(server)], rejected(server), repeated],
    [
      'of the call-out counts where the maker has its name',
      { callout, maker: server },
      [],
      rejected(server),
      given('rejected'),
    ],

    ['that rejects decides alone', {}, [approved(bia)], rejected(caio), given('rejected')],
    ['of a person who approved before may reject', {}, [approved(bia)], rejected(bia), given('rejected')],
    [
      'after an earlier rejection of another is refused',
      { decision: 'rejected' as const },
      [rejected(bia)],
      approved(caio),
      refused('not_waiting_for_approval'),
    ],
    [
      'that is repeated after the decision is answered as before',
      { decision: 'approved' as const },
      [approved(bia), approved(caio)],
      approved(caio),
      repeated,
    ],
    [
      'after the approval is refused',
      { decision: 'approved' as const },
      [approved(bia), approved(caio)],
      approved(dora),
      refused('not_waiting_for_approval'),
    ],
    [
      'on the moment of the expiry is refused',
      { expiresAt: NOON },
      [],
      approved(bia),
      refused('not_waiting_for_approval'),
    ],
  ])('%s', (_, changed, before, verdict, expected) =>
    expect(decideVerdict({ ...request, ...changed }, before, { ...verdict, at: NOON })).toEqual(expected),
  )
})
