import Router from '@koa/router'
import type { SimulatedAccount, SimulatedAccountSettings } from '../accounts.ts'
import { reaisFromCents } from '../amount.ts'
import type { CertificateAuthority } from '../certificates.ts'
import type { SimulatedCharge } from '../charges.ts'
import type { DueParts } from '../due-charges.ts'
import type { PanelOutcome } from '../panel.ts'
import { buildPayer, getPaymentTime } from '../payer/payer-bank.ts'
import { createInterApprovals } from '../provider-apis/inter/payment-sending.ts'
import { buildStarkId } from '../provider-apis/stark/ids.ts'
import { findStarkMovementIds } from '../provider-apis/stark/transactions.ts'
import { createWaitingTransfers } from '../provider-apis/stark/transfer-orders.ts'
import { createPendingOrders } from '../provider-apis/woovi/transfers.ts'
import type { StatementMovement } from '../rail.ts'
import type { Receipt } from '../receipts.ts'
import { ControlApiError, parseControlBody, parseWithSchema, readPathParam } from '../request.ts'
import { sumReturns } from '../returns.ts'
import type { SimulatorState } from '../state.ts'
import type { SimulatedRecipient } from '../transfers.ts'
import { addDisputeRoutes } from './dispute-routes.ts'
import { addFaultRoutes, type FaultRouteDependencies } from './fault-routes.ts'
import { addRecurrenceRoutes } from './recurrence-routes.ts'
import * as schemas from './schemas.ts'

/**
 * Creates the control API (SPEC §10), by which tests and demos change the simulator's state. Success is 200 with
 * JSON.
 */
export function createControlRoutes(state: SimulatorState, controls: ControlDependencies): Router {
  const router = new Router({ prefix: '/control' })
  router.get('/health', ctx => {
    ctx.body = { status: 'ok' }
  })
  addAccountRoutes(router, state, controls)
  addMoneyRoutes(router, state)
  addDisputeRoutes(router, state)
  addMovementRoutes(router, state)
  addOrderRoutes(router, state)
  addChargeRoutes(router, state)
  addRecurrenceRoutes(router, state)
  addFaultRoutes(router, state, controls)
  addInboxRoutes(router, state)
  return router
}

/** Dependencies of the control API outside the simulator's state. */
type ControlDependencies = FaultRouteDependencies & { authority: CertificateAuthority }

function addAccountRoutes(
  router: Router,
  { accounts }: SimulatorState,
  { authority }: ControlDependencies,
): void {
  router.put('/accounts/:id', async ctx => {
    const body = await parseControlBody(ctx, schemas.accountBody)
    const stored = accounts.put(toAccountSettings(readPathParam(ctx, 'id'), body))
    if (stored.kind === 'key_already_registered')
      throw new ControlApiError(409, `another account has the key ${stored.key}`)
    if (stored.kind === 'client_id_in_use')
      throw new ControlApiError(409, 'another account has this client_id')
    ctx.body = presentAccount(stored.account, accounts.listKeys(stored.account.id))
  })
  router.get('/accounts/:id', ctx => {
    const account = accounts.find(readPathParam(ctx, 'id'))
    if (!account) throw new ControlApiError(404, 'no such account')
    ctx.body = presentAccount(account, accounts.listKeys(account.id))
  })
  router.post('/certificates', async ctx => {
    const { common_name } = await parseControlBody(ctx, schemas.certificateBody)
    ctx.body = await authority.issueClientCertificate(common_name)
  })
}

function addMoneyRoutes(router: Router, state: SimulatorState): void {
  const { payerBank, receipts, returns, transfers } = state
  router.post('/pay', async ctx => {
    const {
      value,
      drop_txid: dropsTxid,
      ceiling: ceilingCents,
      ...order
    } = await parseControlBody(ctx, schemas.payBody)
    const outcome = await payerBank.pay({ ...order, cents: value, dropsTxid, ceilingCents })
    if (outcome.kind === 'not_payable') throw new ControlApiError(409, `not payable: ${outcome.why}`)
    ctx.body = { end_to_end: outcome.receipt.endToEnd }
  })
  router.post('/deposit', async ctx => {
    const body = await parseControlBody(ctx, schemas.depositBody)
    const { account, key } = findDepositTarget(state, body)
    const { txid, value: cents, message } = body
    const payer = buildPayer(body.payer)
    ctx.body = {
      end_to_end: receipts.receive({ accountId: account.id, key, cents, payer, txid, message }).endToEnd,
    }
  })
  router.post('/returns', async ctx => {
    const { end_to_end: endToEnd, value } = await parseControlBody(ctx, schemas.returnBody)
    const transfer = transfers.findByEndToEnd(endToEnd)
    if (!transfer) throw new ControlApiError(404, 'no PIX with this end_to_end was sent')
    const returned = returns.creditReturn({
      endToEnd,
      cents: value ?? transfer.cents - sumReturns(returns.listReturns(transfer)),
    })
    if (!returned)
      throw new ControlApiError(
        409,
        'the transfer has not settled, the value exceeds what is not returned yet, or the recipient is a simulated account, which returns by a refund',
      )
    ctx.body = { return_id: returned.returnId }
  })
}

function addInboxRoutes(router: Router, { inbox }: SimulatorState): void {
  router.put('/inbox/:name', async ctx => {
    const { status, delay_ms, headers, body } = await parseControlBody(ctx, schemas.inboxAnswerBody)
    inbox.setResponse(readPathParam(ctx, 'name'), { status, delayMs: delay_ms, headers, body })
    ctx.body = { status, delay_ms, headers }
  })
  router.get('/inbox/:name', ctx => {
    ctx.body = { data: inbox.listEntries(readPathParam(ctx, 'name')) }
  })
  router.delete('/inbox/:name', ctx => {
    inbox.clear(readPathParam(ctx, 'name'))
    ctx.body = { data: [] }
  })
}

function toAccountSettings(
  id: string,
  body: ReturnType<typeof schemas.accountBody.parse>,
): SimulatedAccountSettings {
  return {
    id,
    provider: body.provider,
    dialect: body.dialect,
    clientId: body.client_id,
    clientSecret: body.client_secret,
    holderName: body.holder.name,
    holderDocument: body.holder.document,
    city: body.city,
    ispb: body.ispb,
    requiresCertificate: body.requires_certificate ? 1 : 0,
    amountMagic: body.amount_magic ? 1 : 0,
    notificationSecret: body.notification_secret,
    options: JSON.stringify(body.options),
    openingCents: body.balance,
    keys: body.keys,
  }
}

function presentAccount(account: SimulatedAccount, keys: string[]) {
  return {
    id: account.id,
    provider: account.provider,
    dialect: account.dialect,
    client_id: account.clientId,
    holder: { name: account.holderName, document: account.holderDocument },
    city: account.city,
    ispb: account.ispb,
    keys,
    balance: reaisFromCents(account.balanceCents),
    held: reaisFromCents(account.heldCents),
    blocked: reaisFromCents(account.blockedCents),
    requires_certificate: account.requiresCertificate === 1,
    amount_magic: account.amountMagic === 1,
  }
}

/**
 * Finds the account of a deposit: the named one, the key's owner, or the provider's first; and its key: given or
 * first.
 */
function findDepositTarget({ accounts }: SimulatorState, body: ReturnType<typeof schemas.depositBody.parse>) {
  const account = body.account
    ? accounts.find(body.account)
    : body.key
      ? accounts.findByKey(body.key)
      : accounts.listByProvider(body.provider!)[0]
  if (!account) throw new ControlApiError(404, 'no such account')
  const key = body.key ?? accounts.listKeys(account.id)[0]
  if (key === undefined || accounts.findByKey(key)?.id !== account.id)
    throw new ControlApiError(409, 'the account has no such key')
  return { account, key }
}

/** Adds the routes that list every charge with its status at the provider, and what those with a due date ask. */
function addChargeRoutes(router: Router, { store, charges, receipts }: SimulatorState): void {
  router.get('/charges', ctx => {
    ctx.body = {
      data: store.all<NumberedCharge>(`${NUMBERED_CHARGES} ORDER BY rowid`).map(presentSimulatedCharge),
    }
  })
  router.get('/due-charges', ctx => {
    const { on } = parseWithSchema(schemas.dueChargesQuery, ctx.query)
    const dueCharges = store.all<NumberedCharge>(`${NUMBERED_CHARGES} WHERE due IS NOT NULL ORDER BY rowid`)
    ctx.body = {
      data: dueCharges.map(charge => ({
        account: charge.accountId,
        txid: findShownTxid(charge),
        value: reaisFromCents(charges.computeCost(charge, on === undefined ? on : getPaymentTime(on)).cents),
        payments: receipts.listByTxid(charge.accountId, charge.txid).flatMap(presentDuePayment),
      })),
    }
  })
}

/** Presents what a payment of a charge with a due date consists of; nothing of a PIX of another value. */
function presentDuePayment({ cents, parts }: Receipt) {
  if (parts === null) return []
  const { originalCents, fineCents, interestCents, discountCents, abatementCents } = JSON.parse(
    parts,
  ) as DueParts
  return {
    value: reaisFromCents(cents),
    original: reaisFromCents(originalCents),
    fine: reaisFromCents(fineCents),
    interest: reaisFromCents(interestCents),
    discount: reaisFromCents(discountCents),
    abatement: reaisFromCents(abatementCents),
  }
}

/** Presents a charge; `reference` is its correlationID, its first tag or, at a provider whose callers choose the txid, the txid. */
function presentSimulatedCharge(charge: NumberedCharge) {
  const { accountId, txid, status, details } = charge
  const { correlationID, tags } = JSON.parse(details) as { correlationID?: string; tags?: string[] }
  return {
    account: accountId,
    reference: correlationID ?? tags?.[0] ?? txid,
    txid: findShownTxid(charge),
    status,
  }
}

/** A charge with the number of its row. */
type NumberedCharge = SimulatedCharge & { number: number }
const NUMBERED_CHARGES = 'SELECT rowid AS number, * FROM charge'

/** Finds the id by which a provider API shows a charge: of an invoice of Stark Bank, which has no txid, the invoice's. */
function findShownTxid({ txid, number, details }: NumberedCharge): string {
  const { product } = JSON.parse(details) as { product?: string }
  return product === 'invoice' ? buildStarkId('invoice', number) : txid
}

/** Adds the routes of the providers' panels, in which a person approves or removes pending orders. */
function addOrderRoutes(router: Router, state: SimulatorState): void {
  const panels = [createPendingOrders(state), createWaitingTransfers(state), createInterApprovals(state)]
  router.get('/orders', ctx => {
    ctx.body = { data: panels.flatMap<PendingOrder>(panel => panel.list()).map(presentPendingOrder) }
  })
  router.post('/orders/:id/approve', ctx => {
    const id = readPathParam(ctx, 'id')
    const isApproved = panels.map(panel => panel.approve(id)).find(outcome => outcome !== undefined)
    if (isApproved === undefined) throw new ControlApiError(404, 'no such order is pending')
    if (!isApproved) throw new ControlApiError(409, 'the provider refused the approval')
    ctx.body = { id }
  })
  router.delete('/orders/:id', ctx => {
    const id = readPathParam(ctx, 'id')
    if (!panels.some(panel => panel.remove(id))) throw new ControlApiError(404, 'no such order is pending')
    ctx.body = { id }
  })
}

/** An order that waits for approval. */
type PendingOrder = { id: string; accountId: string; cents: number; key: string }

function presentPendingOrder({ id, accountId, cents, key }: PendingOrder) {
  return { id, account: accountId, value: reaisFromCents(cents), key }
}

/** Adds the routes of settled movements, and of movements without the provider API or a notification (SPEC §10). */
function addMovementRoutes(router: Router, state: SimulatorState): void {
  const { accounts, panel, rail } = state
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
    ctx.body = {
      data: rail
        .listStatement({ provider, accountId: account })
        .map(movement => presentMovement(state, movement)),
    }
  })
}

const REFUSAL_MESSAGES = {
  no_balance: 'the balance, or the blocked amount, does not cover the movement',
  no_such_receipt: 'the account received no PIX with this end_to_end',
  over_the_receipt: 'the returns would exceed the amount of the PIX',
  too_late: 'the PIX is older than 90 days',
} as const satisfies Record<Exclude<PanelOutcome['kind'], 'moved'>, string>

function presentMovement(state: SimulatorState, movement: StatementMovement) {
  const account = state.accounts.find(movement.accountId)!
  const shown =
    account.dialect === 'stark'
      ? findStarkMovementIds(state, account, movement)
      : { id: movement.endToEnd, originalId: movement.originalEndToEnd }
  return {
    id: movement.id,
    end_to_end: movement.endToEnd,
    original_end_to_end: movement.originalEndToEnd,
    shown_id: shown.id,
    shown_original_id: shown.originalId,
    kind: movement.kind,
    value: reaisFromCents(movement.cents),
    account: movement.accountId,
    receiver: movement.kind === 'transfer' ? findReceiver(state, movement) : null,
    at: movement.at,
  }
}

/** Finds who received a transfer, as DICT named them when it was sent. */
function findReceiver({ transfers }: SimulatorState, { accountId, id }: StatementMovement) {
  const transfer = id === null ? undefined : transfers.find(accountId, id)
  if (!transfer) return null
  const { name, document } = JSON.parse(transfer.recipient) as SimulatedRecipient
  return { name, document }
}
