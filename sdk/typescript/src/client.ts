import type { Call } from './call.ts'
import { type Banks, createBanks } from './resources/banks.ts'
import { createDeposits, type Deposits } from './resources/deposits.ts'
import { createEvents, type Events } from './resources/events.ts'
import { createHealth, type Health } from './resources/health.ts'
import { createLedger, type Ledger } from './resources/ledger.ts'
import { createLimits, type Limits } from './resources/limits.ts'
import { createMeds, type Meds } from './resources/meds.ts'
import { createPaymentLinks, type PaymentLinks } from './resources/payment-links.ts'
import { createPayments, type Payments } from './resources/payments.ts'
import { createPixKeys, type PixKeys } from './resources/pix-keys.ts'
import { createProviders, type Providers } from './resources/providers.ts'
import { createQrCodes, type QrCodes } from './resources/qr-codes.ts'
import { createReceipts, type Receipts } from './resources/receipts.ts'
import { createReconciliations, type Reconciliations } from './resources/reconciliations.ts'
import { createRecurrences, type Recurrences } from './resources/recurrences.ts'
import { createRefunds, type Refunds } from './resources/refunds.ts'
import { createReports, type Reports } from './resources/reports.ts'
import { createTransferBatches, type TransferBatches } from './resources/transfer-batches.ts'
import { createTransfers, type Transfers } from './resources/transfers.ts'
import { createWebhooks, type Webhooks } from './resources/webhooks.ts'
import type { OnResponse } from './response-info.ts'
import { DEFAULT_RETRIES, type RetryPolicy } from './retries.ts'
import { createCall } from './transport.ts'

export type TrilhoOptions = {
  /** An access token of the account. From the environment's `TRILHO_TOKEN` where the option is absent, not where undefined. */
  token?: string
  /** The address of the API, with or without `/api/v1`. From `TRILHO_BASE_URL` where the option is absent. */
  baseUrl?: string
  /** Milliseconds that one attempt may take. Default 30,000. */
  timeoutMs?: number
  /** When a call is repeated. A call that creates or moves something is repeated with the same key. */
  retries?: Partial<RetryPolicy>
  /** Sends the requests. Default: the global fetch. */
  fetch?: typeof globalThis.fetch
  /**
   * Receives what the headers of each response say: request id, rate limit, replay. Called once for each response of
   * each attempt, before the call returns or fails. What it throws is ignored.
   */
  onResponse?: OnResponse
}

/** A provider may need some seconds to answer the API. */
const TIMEOUT_MS = 30_000

/** The client of an account. It keeps no connection open of its own, and its token is not part of what it shows. */
export class Trilho {
  /** Calls an operation by its name, for programs that learn it at run time. The other properties have a method for each. */
  readonly call: Call
  readonly payments: Payments
  readonly qrCodes: QrCodes
  readonly paymentLinks: PaymentLinks
  readonly recurrences: Recurrences
  readonly transfers: Transfers
  readonly transferBatches: TransferBatches
  readonly limits: Limits
  readonly meds: Meds
  readonly refunds: Refunds
  readonly receipts: Receipts
  readonly deposits: Deposits
  readonly banks: Banks
  readonly pixKeys: PixKeys
  readonly providers: Providers
  readonly webhooks: Webhooks
  readonly events: Events
  readonly ledger: Ledger
  readonly reports: Reports
  readonly reconciliations: Reconciliations
  readonly health: Health

  constructor(options: TrilhoOptions = {}) {
    const { timeoutMs = TIMEOUT_MS, retries, fetch = globalThis.fetch, onResponse } = options
    // An option that is there and undefined is a mistake of the caller, which must not choose another account.
    const token = 'token' in options ? options.token : readEnvironment('TRILHO_TOKEN')
    const baseUrl = 'baseUrl' in options ? options.baseUrl : readEnvironment('TRILHO_BASE_URL')
    // fetch shows a header that it refuses in its message.
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
      throw new TypeError(
        'token, or TRILHO_TOKEN, must be an access token: printable characters without spaces',
      )
    const call = createCall({
      token,
      timeoutMs,
      baseUrl: readBaseUrl(baseUrl),
      onResponse,
      retries: { ...DEFAULT_RETRIES, ...retries },
      fetch: (input, init) => fetch(input, init),
    })
    this.call = call
    this.payments = createPayments(call)
    this.qrCodes = createQrCodes(call)
    this.paymentLinks = createPaymentLinks(call)
    this.recurrences = createRecurrences(call)
    this.transfers = createTransfers(call)
    this.transferBatches = createTransferBatches(call)
    this.limits = createLimits(call)
    this.meds = createMeds(call)
    this.refunds = createRefunds(call)
    this.receipts = createReceipts(call)
    this.deposits = createDeposits(call)
    this.banks = createBanks(call)
    this.pixKeys = createPixKeys(call)
    this.providers = createProviders(call)
    this.webhooks = createWebhooks(call)
    this.events = createEvents(call)
    this.ledger = createLedger(call)
    this.reports = createReports(call)
    this.reconciliations = createReconciliations(call)
    this.health = createHealth(call)
  }
}

/** Reads a variable where the runtime has an environment. A bundler does not write its value into a program this way. */
function readEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name]
}

function readBaseUrl(text = ''): string {
  const url = new URL(/^https?:\/\//.test(text) ? text : 'invalid:')
  if (
    url.protocol === 'invalid:' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  )
    throw new TypeError(
      'baseUrl, or TRILHO_BASE_URL, must be the address of the API, for example https://pix.example.com',
    )
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}
