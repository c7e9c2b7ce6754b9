import type { BankReply } from './bank-api.ts'
import type { BankApiName } from './bank-server.ts'
import { EFI_CALLS } from './efi-bank.ts'
import {
  lagging,
  listFieldOddities,
  listLookUpOddities,
  listRequestOddities,
  listRowOddities,
  type Oddity,
} from './oddities.ts'
import { WOOVI_CALLS } from './woovi-bank.ts'

/** What the engine is to do while an operation of its bank is odd. */
export type Scenario =
  | 'charge'
  | 'cancellation'
  | 'transfer'
  | 'refund'
  | 'movements'
  | 'dispute'
  | 'key'
  | 'key removal'

export type OddCase = {
  name: string
  api: BankApiName
  operation: string
  scenario: Scenario
  oddity: Oddity
  /** How many answers are odd. */
  times: number
  /** Whether the receiver's bank refuses what is sent. */
  isRefusedByReceiver: boolean
  /** Whether the bank notifies. */
  isNotified: boolean
}

type OddOperation = {
  scenario: Scenario
  /** `request`: something is done; `look_up`: it only reads. */
  kind: 'request' | 'look_up'
  fields: string[]
  rows?: Parameters<typeof listRowOddities>[0]
  /** The documented answer for a subject that does not exist. */
  notFound?: BankReply
}

const nome = (status: number, name: string): BankReply => ({ status, json: { nome: name, mensagem: name } })
const error = (text: string): BankReply => ({ status: 400, json: { error: text } })
const COB = ['txid', 'status', 'valor', 'valor.original', 'calendario', 'calendario.criacao']
const SENT = ['status', 'valor', 'idEnvio', 'endToEndId', 'horario', 'horario.liquidacao', 'favorecido']
const REFUND = ['status', 'valor', 'id', 'rtrId', 'horario', 'horario.liquidacao']
const EFI_ROWS = { field: 'pix', id: 'endToEndId', amount: 'valor' }
const EFI_PAGING = ['parametros', 'parametros.paginacao', 'parametros.paginacao.quantidadeTotalDeItens']

const EFI_OPERATIONS: Record<string, OddOperation> = {
  token: { scenario: 'transfer', kind: 'look_up', fields: ['access_token', 'expires_in', 'token_type'] },
  issueCharge: {
    scenario: 'charge',
    kind: 'request',
    fields: [...COB, 'calendario.expiracao', 'chave', 'loc', 'location', 'pixCopiaECola', 'revisao'],
  },
  findCharge: {
    scenario: 'charge',
    kind: 'look_up',
    fields: [...COB, 'pix', 'pix.*.endToEndId', 'pix.*.valor', 'pix.*.txid', 'pix.*.horario', 'pix.*.chave'],
    notFound: nome(400, 'cobranca_nao_encontrada'),
  },
  cancelCharge: { scenario: 'cancellation', kind: 'request', fields: COB },
  sendTransfer: {
    scenario: 'transfer',
    kind: 'request',
    fields: ['status', 'valor', 'idEnvio', 'e2eId', 'horario', 'horario.solicitacao'],
  },
  findTransfer: {
    scenario: 'transfer',
    kind: 'look_up',
    fields: [...SENT, 'chave'],
    notFound: {
      status: 404,
      json: { type: 'https://pix.bcb.gov.br/api/v2/error/PixEnviadoNaoEncontrado', status: 404 },
    },
  },
  refund: { scenario: 'refund', kind: 'request', fields: REFUND.slice(0, -1) },
  findRefund: {
    scenario: 'refund',
    kind: 'look_up',
    fields: REFUND,
    notFound: nome(400, 'devolucao_nao_encontrada'),
  },
  receivedList: {
    scenario: 'movements',
    kind: 'look_up',
    fields: [
      ...EFI_PAGING,
      'pix.*.endToEndId',
      'pix.*.valor',
      'pix.*.txid',
      'pix.*.horario',
      'pix.*.devolucoes',
    ],
    rows: { ...EFI_ROWS, time: 'horario' },
  },
  sentList: {
    scenario: 'movements',
    kind: 'look_up',
    fields: [...EFI_PAGING, ...SENT.map(field => `pix.*.${field}`)],
    rows: { ...EFI_ROWS, time: 'horario' },
  },
  disputeList: {
    scenario: 'dispute',
    kind: 'look_up',
    fields: ['idInfracao', 'endToEndId', 'valor', 'status', 'dadosAnalise.abertura'].map(
      name => `infracoes.*.${name}`,
    ),
    rows: { field: 'infracoes', id: 'idInfracao', amount: 'valor', time: 'dataTransacao' },
  },
  createKey: { scenario: 'key', kind: 'request', fields: ['chave'] },
  listKeys: { scenario: 'key', kind: 'look_up', fields: ['chaves'] },
  deleteKey: { scenario: 'key removal', kind: 'request', fields: [] },
}

const CHARGE = ['charge', ...['correlationID', 'value', 'status'].map(field => `charge.${field}`)]
const PAYMENT = [
  'payment',
  ...['correlationID', 'value', 'status', 'destinationAlias'].map(name => `payment.${name}`),
]
const TRANSACTION = ['transaction', 'transaction.endToEndId', 'transaction.time']
const TRANSACTIONS = ['endToEndId', 'value', 'time', 'type', 'status', 'charge', 'globalID']
const returned = (name: string) => [
  name,
  ...['correlationID', 'value', 'status', 'returnIdentification', 'time'].map(field => `${name}.${field}`),
]
const WOOVI_PAGING = ['pageInfo', 'pageInfo.totalCount', 'pageInfo.hasNextPage']
const WOOVI_ROWS = { id: 'endToEndId', amount: 'value', time: 'time' }

const WOOVI_OPERATIONS: Record<string, OddOperation> = {
  issueCharge: {
    scenario: 'charge',
    kind: 'request',
    fields: [
      ...CHARGE,
      'charge.brCode',
      'brCode',
      'charge.expiresDate',
      'charge.createdAt',
      'charge.transactionID',
    ],
  },
  findCharge: {
    scenario: 'charge',
    kind: 'look_up',
    fields: [...CHARGE, 'charge.expiresDate', 'charge.brCode'],
    notFound: error('Cobrança não encontrada'),
  },
  chargePayments: {
    scenario: 'charge',
    kind: 'look_up',
    fields: [
      ...WOOVI_PAGING,
      ...TRANSACTIONS.map(name => `transactions.*.${name}`),
      'transactions.*.charge.correlationID',
    ],
    rows: { ...WOOVI_ROWS, field: 'transactions' },
  },
  cancelCharge: { scenario: 'cancellation', kind: 'request', fields: ['status', 'id'] },
  // The answer to an order has no time yet.
  sendTransfer: { scenario: 'transfer', kind: 'request', fields: [...PAYMENT, ...TRANSACTION.slice(0, -1)] },
  findTransfer: {
    scenario: 'transfer',
    kind: 'look_up',
    fields: [...PAYMENT, ...TRANSACTION, 'destination'],
    notFound: error('Pagamento não encontrado'),
  },
  refund: { scenario: 'refund', kind: 'request', fields: returned('refund') },
  findRefund: {
    scenario: 'refund',
    kind: 'look_up',
    fields: returned('pixTransactionRefund'),
    notFound: error('Reembolso não encontrado'),
  },
  transactionList: {
    scenario: 'movements',
    kind: 'look_up',
    fields: [...WOOVI_PAGING, ...TRANSACTIONS.map(name => `transactions.*.${name}`)],
    rows: { ...WOOVI_ROWS, field: 'transactions' },
  },
  paymentList: {
    scenario: 'movements',
    kind: 'look_up',
    fields: [...WOOVI_PAGING, ...[...PAYMENT, ...TRANSACTION].map(name => `payments.*.${name}`)],
    rows: { ...WOOVI_ROWS, field: 'payments' },
  },
  balance: {
    scenario: 'transfer',
    kind: 'look_up',
    fields: ['accounts', 'accounts.*.accountId', 'accounts.*.balance'],
  },
  disputeList: {
    scenario: 'dispute',
    kind: 'look_up',
    fields: ['id', 'endToEndId', 'value', 'status', 'type', 'createdAt'].map(name => `disputes.*.${name}`),
    rows: { field: 'disputes', id: 'id', amount: 'value', time: 'createdAt' },
  },
  createKey: { scenario: 'key', kind: 'request', fields: ['key', 'type'] },
  listKeys: { scenario: 'key', kind: 'look_up', fields: ['pixKeys', 'pixKeys.*.key', 'pixKeys.*.type'] },
  deleteKey: { scenario: 'key removal', kind: 'request', fields: [] },
}

const OPERATIONS = { efi: EFI_OPERATIONS, woovi: WOOVI_OPERATIONS }
/** Most odd answers in a row. */
const MAX_TIMES = 3

/** Whether the answers are lists that the engine reads at its own pace. */
export const isListCase = ({ scenario }: Pick<OddCase, 'scenario'>) =>
  ['movements', 'dispute'].includes(scenario)

/** All cases of one bank, in an order and with odds that a seed decides. */
export function listOddCases(api: BankApiName, seed: number): OddCase[] {
  const published = new Set<string>(
    (api === 'efi' ? EFI_CALLS : WOOVI_CALLS).map(({ operation }) => operation),
  )
  const cases = Object.entries(OPERATIONS[api]).flatMap(
    ([operation, { scenario, kind, fields, rows, notFound }]) => {
      if (!published.has(operation)) throw new Error(`No call ${operation} at ${api}`)
      const oddities = [
        ...(kind === 'request' ? listRequestOddities() : listLookUpOddities()),
        ...listFieldOddities(fields),
        ...(rows ? listRowOddities(rows) : []),
        ...(notFound ? [lagging(notFound)] : []),
      ]
      return oddities.map(oddity => ({
        name: `${api} ${operation}: ${oddity.name}`,
        api,
        operation,
        scenario,
        oddity,
      }))
    },
  )
  return cases
    .map(one => ({ one, order: hash(`${seed} ${one.name}`) }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ one, order }) => ({
      ...one,
      times: 1 + (order % (isListCase(one) ? 2 : MAX_TIMES)),
      isRefusedByReceiver: one.scenario === 'transfer' && order % 4 === 0,
      isNotified: order % 12 !== 0,
    }))
}

/** FNV-1a: the same number for the same text, spread evenly. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ character.codePointAt(0)!, 0x01000193) >>> 0
  return value
}
