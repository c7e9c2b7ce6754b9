import type { ProviderApi } from '../../src/domain/providers/provider.ts'
import type { SimulatedAccount, SimulatedAccounts } from './accounts.ts'
import { buildDynamicBrCode } from './br-code.ts'
import { type DueArithmetic, type DueParts, isDueCharge, sumDueParts } from './due-charges.ts'
import type { Faults } from './faults.ts'
import type { IdGenerator } from './ids.ts'
import type { PixPayer, Receipt, Receipts } from './receipts.ts'
import type { SimulatorStore } from './store.ts'

/** A charge of an account, payable through its payload. It has no status for expired: see `computeExpiry`. */
export type SimulatedCharge = {
  accountId: string
  txid: string
  /** Last part of the payload's URL. */
  token: string
  /** 0: the charge has no location, and its payload cannot be read. */
  locationId: number
  /** Null: the location was created with the charge. */
  locationCreatedAt: string | null
  /** Number of changes. */
  revision: number
  status: 'active' | 'completed' | 'removed' | 'removed_by_provider'
  /** 0: the payer chooses the amount. */
  cents: number
  key: string
  createdAt: string
  expiresInSeconds: number
  payload: string
  /** Of a charge with a due date its terms, JSON (`DueCharge`); null of any other. */
  due: string | null
  /** 1: its payment is not notified. */
  silent: 0 | 1
  /** Further fields of the provider API (debtor, message), JSON. `allowedDocuments`: the only payers that it accepts. */
  details: string
}

type IssueChargeRequest = {
  account: SimulatedAccount
  /** Absent: the provider creates it. */
  txid?: string
  cents: number
  key: string
  expiresInSeconds: number
  silent: boolean
  details: Record<string, unknown>
  /** Terms of a charge with a due date; absent: it has none. */
  due?: object | undefined
  /** Absent: the provider creates one. */
  location?: ChargeLocation | undefined
}

/** The location of a charge's payload, whose URL ends with `token`. */
export type ChargeLocation = { id: number; token: string; createdAt: string }

type ChargeChange = Partial<Pick<SimulatedCharge, 'cents' | 'expiresInSeconds' | 'status'>> & {
  details?: Record<string, unknown>
  due?: object
}

/**
 * A payment; `cents` null: the charge's amount; `force`: also if a bank would refuse (expired, paid, removed), or the provider (of
 * another payer). `endToEnd`: of a PIX from a simulated account.
 */
type ChargePayment = {
  token: string
  /** When a charge with a due date is paid; absent: now. */
  on?: Date | undefined
  cents: number | null
  payer: PixPayer
  force: boolean
  endToEnd?: string
}
export type ChargePaymentResult = { kind: 'paid'; receipt: Receipt } | { kind: 'not_payable'; why: string }

export type SimulatedCharges = {
  issue(order: IssueChargeRequest): { kind: 'issued'; charge: SimulatedCharge } | { kind: 'txid_in_use' }
  find(accountId: string, txid: string): SimulatedCharge | undefined
  findByToken(token: string): SimulatedCharge | undefined
  /** Lists the charges created in [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): SimulatedCharge[]
  /** Finds a charge at one of its revisions, the current one included. */
  findRevision(charge: SimulatedCharge, revision: number): SimulatedCharge | undefined
  findByLocation(accountId: string, locationId: number): SimulatedCharge | undefined
  /** Builds the URL of a location, without a scheme. */
  locationUrl(token: string): string
  /** Replaces the location of a charge, or removes it (null); status and revision stay. */
  setLocation(charge: SimulatedCharge, location: ChargeLocation | null): SimulatedCharge
  /** Changes an active charge; undefined if it is not active any more. */
  revise(charge: SimulatedCharge, change: ChargeChange): SimulatedCharge | undefined
  /** Finds the reason for which a bank would refuse to pay the charge at a time, now where absent; null if it can be paid. */
  notPayableReason(charge: SimulatedCharge, on?: Date): string | null
  /** Computes what a charge costs at a time, now where absent; without parts where it has no due date. */
  computeCost(charge: SimulatedCharge, on?: Date): { cents: number; parts?: DueParts }
  /** Computes the last moment at which a charge can be paid. */
  computeEnd(charge: SimulatedCharge): Date
  /** Settles a PIX with the charge's txid; one of the charge's amount, or any if it is open, completes the charge. */
  pay(payment: ChargePayment): ChargePaymentResult
}

type ChargeDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  receipts: Receipts
  ids: IdGenerator
  faults: Faults
  now: () => Date
  /** Returns host and port in the URLs of payloads. */
  payloadHost: () => string
  /** The arithmetic of the provider APIs that have charges with a due date. */
  dueArithmetics: Partial<Record<ProviderApi, DueArithmetic>>
}

export function simulateCharges({
  store,
  accounts,
  receipts,
  ids,
  faults,
  now,
  payloadHost,
  dueArithmetics,
}: ChargeDependencies): SimulatedCharges {
  const find = (accountId: string, txid: string) =>
    store.first<SimulatedCharge>('SELECT * FROM charge WHERE accountId = ? AND txid = ?', accountId, txid)

  /** Shows a completed charge as active while the provider's lists do not contain its payment. */
  const toListedCharge = (charge: SimulatedCharge): SimulatedCharge =>
    charge.status === 'completed' && receipts.listByTxid(charge.accountId, charge.txid).length === 0
      ? { ...charge, status: 'active' }
      : charge

  const locationUrl = (token: string) => `${payloadHost()}/qr/v2/${token}`

  const buildPayload = (
    account: SimulatedAccount,
    { token, cents }: Pick<SimulatedCharge, 'token' | 'cents'>,
  ) =>
    buildDynamicBrCode({
      url: locationUrl(token),
      totalCents: cents,
      merchantName: account.holderName,
      merchantCity: account.city,
    })

  const buildCharge = ({
    account,
    txid,
    cents,
    key,
    expiresInSeconds,
    silent,
    details,
    due,
    location,
  }: IssueChargeRequest): SimulatedCharge => {
    const token = location?.token ?? ids.token()
    return {
      accountId: account.id,
      txid: txid ?? ids.token(),
      token,
      locationId: location?.id ?? ids.locationId(),
      locationCreatedAt: location?.createdAt ?? null,
      revision: 0,
      status: 'active',
      cents,
      key,
      createdAt: now().toISOString(),
      expiresInSeconds,
      payload: buildPayload(account, { token, cents: due ? 0 : cents }),
      due: due ? JSON.stringify(due) : null,
      silent: silent ? 1 : 0,
      details: JSON.stringify(details),
    }
  }

  const findByToken = (token: string) =>
    store.first<SimulatedCharge>('SELECT * FROM charge WHERE token = ?', token)
  const findArithmetic = ({ accountId }: SimulatedCharge) =>
    dueArithmetics[accounts.find(accountId)!.dialect]!
  const computeEnd = (charge: SimulatedCharge) =>
    isDueCharge(charge) ? findArithmetic(charge).findLastPayable(charge) : computeExpiry(charge)
  const computeCost = (charge: SimulatedCharge, on = now()) => {
    if (!isDueCharge(charge)) return { cents: charge.cents }
    const parts = findArithmetic(charge).computeParts(charge, on)
    return { cents: sumDueParts(parts), parts }
  }
  /** As at Efí, a charge cannot be paid after its key was removed. */
  const notPayableReason = (charge: SimulatedCharge, on = now()) =>
    accounts.findByKey(charge.key)?.id === charge.accountId
      ? findNotPayableReason(charge, on > computeEnd(charge))
      : 'its key is gone'
  /** A provider may compute a centavo more than its own texts say. */
  const computePayment = (charge: SimulatedCharge, on: Date | undefined) => {
    const { cents, parts } = computeCost(charge, on)
    const account = accounts.find(charge.accountId)!
    const isOff = parts && faults.consumeForPayment(account, ['issueCharge', 'findCharge', 'findPayment'])
    if (!isOff) return { cents, parts }
    return { cents: cents + 1, parts: { ...parts, interestCents: parts.interestCents + 1 } }
  }

  return {
    issue: order =>
      store.inTransaction(() => {
        if (order.txid !== undefined && find(order.account.id, order.txid)) return { kind: 'txid_in_use' }
        const charge = buildCharge(order)
        store.insert('charge', charge)
        return { kind: 'issued', charge }
      }),
    find: (accountId, txid) => {
      const charge = find(accountId, txid)
      return charge && toListedCharge(charge)
    },
    findByToken,
    listBetween: (accountId, { from, to }) =>
      store
        .all<SimulatedCharge>(
          'SELECT * FROM charge WHERE accountId = ? AND createdAt BETWEEN ? AND ? ORDER BY createdAt, rowid',
          accountId,
          from,
          to,
        )
        .map(toListedCharge),
    revise: (charge, change) =>
      store.inTransaction(() => {
        const current = find(charge.accountId, charge.txid)
        if (current?.status !== 'active') return undefined
        const revised = reviseCharge(current, change)
        const { accountId, txid, revision } = current
        store.insert('chargeRevision', { accountId, txid, revision, body: JSON.stringify(current) })
        return saveCharge(store, {
          ...revised,
          payload: buildPayload(accounts.find(charge.accountId)!, getCode(revised)),
        })
      }),
    findRevision: (charge, revision) => {
      if (revision === charge.revision) return charge
      const earlier = store.first<{ body: string }>(
        'SELECT body FROM chargeRevision WHERE accountId = ? AND txid = ? AND revision = ?',
        charge.accountId,
        charge.txid,
        revision,
      )
      return earlier && (JSON.parse(earlier.body) as SimulatedCharge)
    },
    findByLocation: (accountId, locationId) =>
      store.first<SimulatedCharge>(
        'SELECT * FROM charge WHERE accountId = ? AND locationId = ?',
        accountId,
        locationId,
      ),
    locationUrl,
    setLocation: (charge, location) =>
      store.inTransaction(() => {
        const movedCharge = {
          ...charge,
          token: location?.token ?? ids.token(),
          locationId: location?.id ?? 0,
          locationCreatedAt: location?.createdAt ?? null,
        }
        const payload = buildPayload(accounts.find(charge.accountId)!, getCode(movedCharge))
        return saveCharge(store, { ...movedCharge, payload })
      }),
    notPayableReason,
    computeCost,
    computeEnd,
    pay: ({ token, on, cents, payer, force, endToEnd }) =>
      store.inTransaction(() => {
        const charge = findByToken(token)
        if (!charge) return { kind: 'not_payable', why: 'unknown' }
        const why = notPayableReason(charge, on) ?? findPayerRefusal(charge, payer)
        if (why && !force) return { kind: 'not_payable', why }
        const { accountId, key, txid } = charge
        const silent = charge.silent === 1
        const due = computePayment(charge, on)
        const paidCents = cents ?? due.cents
        if (paidCents === 0) return { kind: 'not_payable', why: 'its amount is open' }
        const sender = endToEnd === undefined ? { payer } : { payer, endToEnd }
        const isExact = paidCents === due.cents
        const parts = isExact ? due.parts : undefined
        const receipt = receipts.receive({ accountId, key, txid, cents: paidCents, parts, ...sender, silent })
        if (charge.cents === 0 || isExact) saveCharge(store, { ...charge, status: 'completed' })
        return { kind: 'paid', receipt }
      }),
  }
}

export function computeExpiry(charge: Pick<SimulatedCharge, 'createdAt' | 'expiresInSeconds'>): Date {
  return new Date(Date.parse(charge.createdAt) + charge.expiresInSeconds * 1000)
}

/** The code of a charge with a due date has no amount, because that is of the day of payment. */
function getCode({ token, cents, due }: SimulatedCharge): Pick<SimulatedCharge, 'token' | 'cents'> {
  return { token, cents: due === null ? cents : 0 }
}

function findNotPayableReason(charge: SimulatedCharge, hasEnded: boolean): string | null {
  switch (charge.status) {
    case 'active':
      return hasEnded ? 'expired' : null
    case 'completed':
      return 'already paid'
    case 'removed':
    case 'removed_by_provider':
      return 'removed'
    default:
      return charge.status satisfies never
  }
}

/** Finds the reason for which a bank refuses this payer; `allowedDocuments` absent or empty: all may pay. */
function findPayerRefusal({ details }: SimulatedCharge, payer: PixPayer): string | null {
  const { allowedDocuments = [] } = JSON.parse(details) as { allowedDocuments?: string[] }
  const isAllowed = allowedDocuments.length === 0 || allowedDocuments.includes(payer.document)
  return isAllowed ? null : 'another payer is named'
}

function reviseCharge(charge: SimulatedCharge, { details, due, ...change }: ChargeChange): SimulatedCharge {
  const merged = { ...(JSON.parse(charge.details) as object), ...details }
  const terms = due ? { due: JSON.stringify(due) } : {}
  return { ...charge, ...change, ...terms, details: JSON.stringify(merged), revision: charge.revision + 1 }
}

function saveCharge(store: SimulatorStore, charge: SimulatedCharge): SimulatedCharge {
  const { status, cents, expiresInSeconds, details, due, payload, revision } = charge
  const { token, locationId, locationCreatedAt } = charge
  store.run(
    `UPDATE charge SET status = ?, cents = ?, expiresInSeconds = ?, details = ?, due = ?, payload = ?, revision = ?,
       token = ?, locationId = ?, locationCreatedAt = ?
     WHERE accountId = ? AND txid = ?`,
    status,
    cents,
    expiresInSeconds,
    details,
    due,
    payload,
    revision,
    token,
    locationId,
    locationCreatedAt,
    charge.accountId,
    charge.txid,
  )
  return charge
}
