import type Router from '@koa/router'
import { reaisFromCents } from '../../domain/money.ts'
import type { PanelOutcome } from '../panel.ts'
import type { Movement } from '../rail.ts'
import { fitting, jsonBody, Refusal } from '../route.ts'
import type { World } from '../world.ts'
import * as schemas from './schemas.ts'

/** Every settled movement, and money that moves at a provider without its API (SPEC §10), which no notification tells. */
export function movementRoutes(router: Router, { accounts, panel, rail }: World): void {
  router.post('/movements', async ctx => {
    const { provider, account, kind, value, end_to_end } = await jsonBody(ctx, schemas.movementBody)
    const ofProvider = accounts.ofProvider(provider)
    const holder = account === undefined ? ofProvider[0] : ofProvider.find(({ id }) => id === account)
    if (!holder) throw new Refusal(404, 'the provider has no such account')
    const outcome = panel.move({ accountId: holder.id, kind, cents: value, endToEnd: end_to_end })
    if (outcome.kind !== 'moved') throw new Refusal(409, REFUSALS[outcome.kind])
    ctx.body = { id: outcome.id, end_to_end: outcome.endToEnd }
  })
  router.get('/statement', ctx => {
    const { provider, account } = fitting(schemas.statementQuery, ctx.query)
    ctx.body = { data: rail.statement({ provider, accountId: account }).map(line) }
  })
}

const REFUSALS = {
  no_balance: 'the balance, or what is blocked, does not cover it',
  no_such_receipt: 'the account received no PIX with this end_to_end',
  over_the_receipt: 'more than the PIX, with what has been returned of it',
  too_late: 'the PIX is older than 90 days',
} as const satisfies Record<Exclude<PanelOutcome['kind'], 'moved'>, string>

function line(movement: Movement) {
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
