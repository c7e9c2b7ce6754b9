import type Router from '@koa/router'
import { reaisFromCents } from '../../domain/ledger/money.ts'
import type { SimulatedDispute, SimulatedDisputeReply } from '../disputes.ts'
import { ControlApiError, parseControlBody, readPathParam } from '../request.ts'
import type { SimulatorState } from '../state.ts'
import * as schemas from './schemas.ts'

/** Disputes (SPEC §10): what a payer's bank opens, and what the analysis comes to. */
export function addDisputeRoutes(router: Router, { disputes: meds }: SimulatorState): void {
  router.post('/meds', async ctx => {
    const {
      end_to_end: endToEnd,
      type,
      value: cents,
      due_at: dueAt,
    } = await parseControlBody(ctx, schemas.disputeBody)
    const outcome = meds.open({ endToEnd, situation: schemas.SITUATION_BY_DISPUTE_TYPE[type], cents, dueAt })
    switch (outcome.kind) {
      case 'opened':
        ctx.body = { id: outcome.id }
        return
      case 'no_such_pix':
        throw new ControlApiError(404, 'no PIX with this end_to_end was received or sent')
      case 'already_disputed':
        throw new ControlApiError(409, 'a PIX is disputed once')
      case 'over_the_pix':
        throw new ControlApiError(409, 'the PIX was of less than that')
      default:
        outcome satisfies never
    }
  })
  router.post('/meds/:id/decide', async ctx => {
    const { decision } = await parseControlBody(ctx, schemas.decisionBody)
    const id = readPathParam(ctx, 'id')
    const outcome = meds.decide(id, decision)
    if (outcome === undefined) throw new ControlApiError(404, 'no such dispute')
    if (outcome === 'already_decided') throw new ControlApiError(409, 'the dispute is decided')
    ctx.body = { id, decision }
  })
  router.get('/meds/:id', ctx => {
    const data = meds
      .listById(readPathParam(ctx, 'id'))
      .map(med => presentDispute(med, meds.listReplies(med)))
    if (data.length === 0) throw new ControlApiError(404, 'no such dispute')
    ctx.body = { data }
  })
}

/** One side of a dispute; `documents` as the account's provider was given them. */
function presentDispute(med: SimulatedDispute, replies: SimulatedDisputeReply[]) {
  return {
    id: med.id,
    account: med.accountId,
    side: med.side,
    end_to_end: med.endToEnd,
    value: reaisFromCents(med.cents),
    blocked: reaisFromCents(med.blockedCents),
    status: med.status,
    opened_at: med.openedAt,
    due_at: med.dueAt,
    replies: replies.map(({ accept, text, documents, at }) => ({
      accept: accept === null ? null : accept === 1,
      text,
      documents: JSON.parse(documents) as unknown[],
      at,
    })),
  }
}
