import type Router from '@koa/router'
import { reaisFromCents } from '../amount.ts'
import type { SimulatedDispute, SimulatedDisputeReply } from '../disputes.ts'
import { ControlApiError, parseControlBody, readPathParam } from '../request.ts'
import type { SimulatorState } from '../state.ts'
import * as schemas from './schemas.ts'

/** Adds the routes of disputes (SPEC §10): opening by the payer's bank, decision of the analysis, look-up. */
export function addDisputeRoutes(router: Router, { disputes }: SimulatorState): void {
  router.post('/meds', async ctx => {
    const {
      end_to_end: endToEnd,
      type,
      value: cents,
      due_at: dueAt,
    } = await parseControlBody(ctx, schemas.disputeBody)
    const outcome = disputes.open({
      endToEnd,
      situation: schemas.SITUATION_BY_DISPUTE_TYPE[type],
      cents,
      dueAt,
    })
    switch (outcome.kind) {
      case 'opened':
        ctx.body = { id: outcome.id }
        return
      case 'no_such_pix':
        throw new ControlApiError(404, 'no PIX with this end_to_end was received or sent')
      case 'already_disputed':
        throw new ControlApiError(409, 'the PIX has been disputed already')
      case 'over_the_pix':
        throw new ControlApiError(409, 'value is above the amount of the PIX')
      default:
        outcome satisfies never
    }
  })
  router.post('/meds/:id/decide', async ctx => {
    const { decision, ...returns } = await parseControlBody(ctx, schemas.decisionBody)
    const id = readPathParam(ctx, 'id')
    const outcome = disputes.decide(id, decision, returns)
    if (outcome === undefined) throw new ControlApiError(404, 'no such dispute')
    if (outcome === 'already_decided') throw new ControlApiError(409, 'the dispute has been decided already')
    ctx.body = { id, decision }
  })
  router.get('/meds/:id', ctx => {
    const data = disputes
      .listById(readPathParam(ctx, 'id'))
      .map(dispute => presentDispute(dispute, disputes.listReplies(dispute)))
    if (data.length === 0) throw new ControlApiError(404, 'no such dispute')
    ctx.body = { data }
  })
}

/** Presents one side of a dispute; `documents` as the provider received them. */
function presentDispute(dispute: SimulatedDispute, replies: SimulatedDisputeReply[]) {
  return {
    id: dispute.id,
    account: dispute.accountId,
    side: dispute.side,
    end_to_end: dispute.endToEnd,
    value: reaisFromCents(dispute.cents),
    blocked: reaisFromCents(dispute.blockedCents),
    status: dispute.status,
    opened_at: dispute.openedAt,
    due_at: dispute.dueAt,
    replies: replies.map(({ accept, text, documents, at }) => ({
      accept: accept === null ? null : accept === 1,
      text,
      documents: JSON.parse(documents) as unknown[],
      at,
    })),
  }
}
