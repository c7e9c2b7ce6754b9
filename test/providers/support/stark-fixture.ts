import { generateKeyPairSync } from 'node:crypto'
import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import { createStarkAdapter } from '../../../src/providers/stark/adapter.ts'
import { starkCredentialsSchema } from '../../../src/providers/stark/client.ts'
import {
  type ProviderFixtureOptions,
  type ScriptedProvider,
  type ScriptedReply,
  startScriptedProvider,
  timeoutMsFor,
} from './scripted-provider.ts'

/** Makes a key pair as Stark Bank's tutorial does: `openssl ecparam -name secp256k1 -genkey`. */
export function createStarkKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  return {
    privatePem: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

export const ownKeys = createStarkKeys()
export const starkCredentials = starkCredentialsSchema.parse({
  access_id: '5656565656565656',
  private_key: ownKeys.privatePem,
})

export const NOW = Date.parse('2026-01-10T12:00:00Z')
export const CHARGE_REFERENCE = '0f8fad5bd9cb469fa16570867728950e'
export const TRANSFER_ID = '7c9e6679742540dea47b1e5dd9c57f2a'
export const CODE_UUID = '4e2eab725ddd495f9c98ffd97440702d'
export const PAYLOAD = '00020126360014br.gov.bcb.pix0114+5528400921181520400005303986'
export const INVOICE_UUID = 'f533310332794db283895efe335ba93d'
export const INVOICE_PAYLOAD = `00020101021226800014br.gov.bcb.pix2558invoice.starkbank.com/${INVOICE_UUID}5204000053039865802BR`
export const DEPOSIT_ID = '5151515151515151'
export const CREDIT_ID = '6161616161616161'
export const ACCOUNT_ID = '7171717171717171'
export const SENT_ID = '8181818181818181'
export const INVOICE_ID = '5252525252525252'
export const END_TO_END_ID = 'E99999004202601101159abcdefghijk'

/** A scripted Stark Bank, and an adapter that calls it, at noon of one day. */
export async function openStarkFixture({ now = () => NOW, reply }: ProviderFixtureOptions = {}) {
  const scripted: ScriptedProvider = await startScriptedProvider()
  const unexplainedAnswers: UnexplainedAnswer[] = []
  const recordUnexplained = async (answer: UnexplainedAnswer) => void unexplainedAnswers.push(answer)
  const provider = createStarkAdapter({
    baseUrl: scripted.url,
    credentials: starkCredentials,
    ca: scripted.ca,
    timeoutMs: timeoutMsFor(reply),
    now,
    recordUnexplained,
  })
  return {
    scripted,
    provider,
    /** What was recorded as unexplained, in that order. */
    recorded: unexplainedAnswers,
    async [Symbol.asyncDispose]() {
      await provider.close()
      await scripted.close()
    },
  }
}

export const okReply = (json: unknown): ScriptedReply => ({ status: 200, json })
export const starkErrorReply = (code: string, status = 400): ScriptedReply => ({
  status,
  json: { errors: [{ code, message: 'so it is' }] },
})

type Changes = Record<string, unknown>

export const brcodeOf = (changes: Changes = {}) => ({
  id: PAYLOAD,
  uuid: CODE_UUID,
  amount: 1234,
  expiration: 3600,
  tags: [CHARGE_REFERENCE],
  pictureUrl: `https://sandbox.api.starkbank.com/v2/dynamic-brcode/${CODE_UUID}.png`,
  displayDescription: '',
  rules: [],
  created: '2026-01-10T11:59:00.123456+00:00',
  updated: '2026-01-10T11:59:00.123456+00:00',
  ...changes,
})

export const depositOf = (changes: Changes = {}) => ({
  id: DEPOSIT_ID,
  name: 'Iron Bank S.A.',
  taxId: '20.018.183/0001-80',
  bankCode: '20018183',
  branchCode: '1357-9',
  accountNumber: '876543-2',
  accountType: 'checking',
  amount: 1234,
  type: 'pix',
  status: 'created',
  displayDescription: '',
  reversalDisplayDescription: '',
  tags: [`dynamic-brcode/${CODE_UUID}`, CHARGE_REFERENCE],
  fee: 50,
  transactionIds: [CREDIT_ID],
  created: '2026-01-10T11:59:30.000000+00:00',
  updated: '2026-01-10T11:59:30.000000+00:00',
  ...changes,
})

export const invoiceOf = (changes: Changes = {}) => ({
  id: INVOICE_ID,
  amount: 1234,
  nominalAmount: 1234,
  name: 'Arya Stark',
  taxId: '529.982.247-25',
  due: '2026-01-10T12:58:59.000000+00:00',
  expiration: 1,
  fine: 0,
  interest: 0,
  fineAmount: 0,
  interestAmount: 0,
  discountAmount: 0,
  discounts: [],
  descriptions: [],
  displayDescription: '',
  rules: [],
  splits: [],
  tags: [CHARGE_REFERENCE],
  brcode: INVOICE_PAYLOAD,
  link: `https://workspace.sandbox.starkbank.com/invoicelink/${INVOICE_UUID}`,
  pdf: `https://sandbox.api.starkbank.com/v2/invoice/${INVOICE_UUID}.pdf`,
  status: 'created',
  fee: 0,
  transactionIds: [],
  created: '2026-01-10T11:59:00.123456+00:00',
  updated: '2026-01-10T11:59:00.123456+00:00',
  ...changes,
})

export const invoicePaymentOf = (changes: Changes = {}) => ({
  amount: 1234,
  name: 'Arya Stark',
  taxId: '529.982.247-25',
  bankCode: '20018183',
  branchCode: '1357-9',
  accountNumber: '876543-2',
  accountType: 'checking',
  endToEndId: END_TO_END_ID,
  method: 'pix',
  ...changes,
})

export const transactionOf = (changes: Changes = {}) => ({
  id: CREDIT_ID,
  amount: 1234,
  description: 'Deposit',
  externalId: 'deposit',
  receiverId: '5656565656565656',
  senderId: '1111111111111111',
  tags: [],
  fee: 0,
  balance: 100_000,
  source: `deposit/${DEPOSIT_ID}`,
  created: '2026-01-10T11:59:31.000000+00:00',
  ...changes,
})

export const transferOf = (changes: Changes = {}) => ({
  id: SENT_ID,
  amount: 1050,
  accountId: ACCOUNT_ID,
  externalId: TRANSFER_ID,
  status: 'success',
  name: 'Arya Stark',
  taxId: '529.982.247-25',
  bankCode: '20018183',
  branchCode: '0001',
  accountNumber: '10000-0',
  accountType: 'checking',
  tags: [TRANSFER_ID],
  fee: 0,
  transactionIds: ['9191919191919191'],
  metadata: {},
  created: '2026-01-10T12:00:01.000000+00:00',
  updated: '2026-01-10T12:00:07.000000+00:00',
  ...changes,
})

export const verifiedAccountOf = (changes: Changes = {}) => ({
  id: ACCOUNT_ID,
  taxId: '529.982.247-25',
  keyId: 'arya.stark@starkbank.com',
  status: 'active',
  tags: [TRANSFER_ID],
  name: 'Arya Stark',
  bankName: 'Stark Bank',
  created: '2026-01-10T12:00:00.000000+00:00',
  updated: '2026-01-10T12:00:00.000000+00:00',
  ...changes,
})

export const dictKeyOf = (changes: Changes = {}) => ({
  id: 'arya.stark@starkbank.com',
  type: 'email',
  name: 'Arya Stark',
  taxId: '529.982.247-25',
  ownerType: 'naturalPerson',
  bankName: 'Stark Bank',
  ispb: '20018183',
  branchCode: 'ZW5jcnlwdGVkLWJyYW5jaC1jb2Rl',
  accountNumber: 'ZW5jcnlwdGVkLWFjY291bnQtbnVtYmVy',
  accountType: 'checking',
  status: 'registered',
  ...changes,
})

export const SUBSCRIPTION_ID = '4786208928432128'
export const PULL_REQUEST_ID = '5397390693498880'

/** A recurrence and a try of a debit, with the fields of the events in Stark Bank's SDK for .NET. */
export const subscriptionOf = (changes: Changes = {}) => ({
  id: SUBSCRIPTION_ID,
  amount: 5000,
  amountMinLimit: 0,
  bacenId: 'RR3990842720260110fwJYIfdOGeF',
  brcode: '00020101021226180014br.gov.bcb.pix80930014br.gov.bcb.pix',
  data: {},
  displayDescription: 'Internet',
  due: '2026-01-12T12:00:00.000000+00:00',
  start: '2026-01-20T03:00:00+00:00',
  end: '',
  externalId: CHARGE_REFERENCE,
  interval: 'month',
  name: 'Arya Stark',
  taxId: '529.982.247-25',
  pullMode: 'manual',
  pullRetryLimit: 3,
  referenceCode: CHARGE_REFERENCE,
  status: 'created',
  tags: [CHARGE_REFERENCE],
  type: 'qrcode',
  created: '2026-01-10T12:00:00.280303+00:00',
  updated: '2026-01-10T12:00:00.305366+00:00',
  ...changes,
})
export const pullRequestOf = (changes: Changes = {}) => ({
  id: PULL_REQUEST_ID,
  attemptType: 'default',
  displayDescription: '',
  due: '2026-01-20T07:00:00+00:00',
  externalId: `${CHARGE_REFERENCE}-2026-01-20`,
  installmentId: '5424937942646784',
  invoiceId: INVOICE_ID,
  status: 'pending',
  subscriptionId: SUBSCRIPTION_ID,
  tags: [CHARGE_REFERENCE],
  created: '2026-01-10T12:00:01.201258+00:00',
  updated: '2026-01-10T12:00:03.571665+00:00',
  ...changes,
})
/** The invoice of that debit. */
export const debitInvoiceOf = (changes: Changes = {}) =>
  invoiceOf({
    amount: 5000,
    nominalAmount: 5000,
    due: '2026-01-21T02:59:59.999000+00:00',
    expiration: 7 * 86_400,
    ...changes,
  })

/** A page of a list; the last one has no cursor. */
export const starkPageOf = (field: string, rows: unknown[], cursor: string | null = null) => ({
  [field]: rows,
  cursor,
})

/** Replies in place of an answer to any call, and what they mean where something is sent. */
export const UNEXPLAINED_REPLIES: [name: string, reply: ScriptedReply, outcome: Record<string, unknown>][] = [
  [
    'denied credentials',
    starkErrorReply('invalidCredentials'),
    { kind: 'rejected', code: 'provider_denied' },
  ],
  ['the name under another status', starkErrorReply('invalidCredentials', 401), { kind: 'unknown' }],
  ['a second external id', starkErrorReply('duplicatedExternalId'), { kind: 'unknown', code: 'http_400' }],
  ['a code that no text names', starkErrorReply('invalidBalance'), { kind: 'unknown', code: 'http_400' }],
  [
    'two errors at once',
    {
      status: 400,
      json: {
        errors: [
          { code: 'invalidCredentials', message: '' },
          { code: 'x', message: '' },
        ],
      },
    },
    { kind: 'unknown', code: 'http_400' },
  ],
  ['500', starkErrorReply('internalServerError', 500), { kind: 'unknown', code: 'http_500' }],
  ['429', { status: 429, text: '' }, { kind: 'unknown', code: 'http_429' }],
  ['a gateway', { status: 503, text: '<html>' }, { kind: 'unknown', code: 'http_503' }],
  ['302', { status: 302, headers: { location: '/' } }, { kind: 'unknown', code: 'http_302' }],
  ['an empty 200', { status: 200 }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['broken JSON', { status: 200, text: '{"transfers":[' }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['JSON of another shape', okReply({ hello: 'there' }), { kind: 'unknown', code: 'unreadable_answer' }],
  ['a timeout', 'hang', { kind: 'unknown', code: 'timeout' }],
  ['a reset after the request', 'reset', { kind: 'unknown', code: 'connection_reset' }],
  ['half an answer', 'half', { kind: 'unknown' }],
]
