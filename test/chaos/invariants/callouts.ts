import { MAX_CALLOUT_REQUESTS } from '../../../src/domain/approvals/callout.ts'
import type { FinalState, Violation } from '../final-state.ts'
import { violationIf } from './violations.ts'

/** SPEC §4, "Call-outs": nothing is approved, and no provider is called, unless the merchant's server has approved it. */
export function checkCallouts({ callouts }: FinalState): Violation[] {
  return callouts.flatMap(({ subject, decision, verdict, isStarted, says, requestCount }) => [
    ...violationIf(
      (decision === 'approved' || isStarted) &&
        (verdict !== 'approve' || says !== 'approve' || requestCount === 0),
      'callout_missing',
      subject,
      `${decision}, ${isStarted ? 'started' : 'not started'}: the server says ${says}, ${verdict} is stored`,
    ),
    ...violationIf(
      verdict === 'approve' && says !== 'approve',
      'callout_verdict_differs',
      subject,
      `${verdict} is stored, the server says ${says}`,
    ),
    ...violationIf(
      requestCount > MAX_CALLOUT_REQUESTS,
      'callout_repeated',
      subject,
      `${requestCount} requests`,
    ),
  ])
}
