import type Router from '@koa/router'
import { reaisFromCents } from '../amount.ts'
import type { PanelOutcome } from '../panel.ts'
import type { RailMovement } from '../rail.ts'
import { ControlApiError, parseControlBody, parseWithSchema } from '../request.ts'
import type { SimulatorState } from '../state.ts'
import * as schemas from './schemas.ts'

/** Adds the routes of settled movements, and of movements without the provider API or a notification (SPEC §10). */
export function addMovementRoutes(router: Router, { accounts, panel, rail }: SimulatorState): void {
  router.post('/movements', async ctx => {
    const { provider, account, kind, value, end_to_end } = await parseControlBody(ctx, schemas.movementBody)
    const candidates = accounts.listByProvider(provider)
    const owner = account === undefined ? candidates[0] : candidates.find(({ id }) => id === account)
    if (!owner) throw new ControlApiError(404, 'the provider has no such account')
    const outcome = panel.move({ accountId: owner.id, kind, cents: value, endToEnd: end_to_end })
    if (outcome.kind !== 'moved') throw new ControlApiError(409, REFUSAL_MESSAGES[outcome.kind])
    ctx.body = { id: outcome.id, end_to_end: outcome.endToEnd }
  })
  router.get('/statement', ctx => {
    const { provider, account } = parseWithSchema(schemas.statementQuery, ctx.query)
    ctx.body = { data: rail.listStatement({ provider, accountId: account }).map(presentMovement) }
  })
}

const REFUSAL_MESSAGES = {
  no_balance: 'the balance, or the blocked amount, does not cover the movement',
  no_such_receipt: 'the account received no PIX with this end_to_end',
  over_the_receipt: 'the returns would exceed the amount of the PIX',
  too_late: 'the PIX is older than 90 days',
} as const satisfies Record<Exclude<PanelOutcome['kind'], 'moved'>, string>

function presentMovement(movement: RailMovement) {
  return {
    id: movement.id,
    end_to_end: movement.endToEnd,
    original_end_to_end: movement.originalEndToEnd,
    kind: movement.kind,
    value: reaisFromCents(movement.cents),
    account: movement.accountId,
    at: movement.at,
  }
}
