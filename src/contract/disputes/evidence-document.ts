import type { HistoryEntry } from '../../db/entities/columns.ts'
import type { DisputeKind, DisputeType } from '../../domain/disputes/dispute.ts'
import type { Party } from '../../domain/pix/party.ts'
import { DEFAULT_TIME_ZONE } from '../../domain/shared/time-zone.ts'
import type { ReceiptLanguage } from '../receipts/receipt.ts'

/** What the service holds about a disputed PIX: the operation that it belongs to, its history, and what came back. */
export type DisputeEvidence = {
  uuid: string
  mode: 'live' | 'test'
  kind: DisputeKind
  type: DisputeType
  openedAt: Date
  updatedAt: Date
  valueCents: number
  returnedCents: number
  /** The reasoning of the merchant, then of the provider, where there is any. */
  texts: string[]
  /** Why the account contests what was returned; null where it does not. */
  contest: string | null
  attachments: { name: string; bytes: number }[]
  pix: {
    endToEnd: string
    valueCents: number
    settledAt: Date | null
    sender: Party | null
    receiver: Party | null
  }
  /** The charge that the PIX paid, or the transfer that sent it; null where it belongs to none. */
  operation: {
    uuid: string
    externalRef: string | null
    message: string | null
    createdAt: Date
    history: HistoryEntry<string>[]
  } | null
}

type Words = Record<FactName, string> & {
  title: Record<DisputeKind, string>
  types: Record<DisputeType, string>
  tables: Record<'dispute' | 'pix' | 'operation' | 'history' | 'attachments', string>
  test: string
  issuer: string
  page: string
}
type FactName =
  | 'uuid'
  | 'reason'
  | 'openedAt'
  | 'disputed'
  | 'returned'
  | 'text'
  | 'contest'
  | 'value'
  | 'settledAt'
  | 'sender'
  | 'senderDocument'
  | 'receiver'
  | 'receiverDocument'
  | 'endToEnd'
  | 'externalRef'
  | 'message'
  | 'createdAt'
  | 'bytes'

const WORDS: Record<ReceiptLanguage, Words> = {
  'pt-BR': {
    title: { RECEIVED_MED: 'Contestação de um Pix recebido', REQUESTED_MED: 'Contestação de um Pix enviado' },
    types: {
      UNDEFINED: 'Não informado',
      SCAM: 'Golpe',
      WRONG_TRANSACTION: 'Transação não autorizada',
      COERCION_CRIME: 'Crime mediante coação',
      UNAUTHORIZED_ACCESS: 'Acesso não autorizado',
    },
    tables: {
      dispute: 'Contestação',
      pix: 'Pix contestado',
      operation: 'Operação',
      history: 'Histórico da operação (Brasília)',
      attachments: 'Anexos',
    },
    test: 'Ambiente de teste: nenhum dinheiro foi movimentado.',
    issuer: 'O que este serviço de pagamentos registrou sobre o Pix contestado. Não é documento de um banco.',
    page: 'Página',
    uuid: 'Identificador',
    reason: 'Motivo',
    openedAt: 'Aberta em (Brasília)',
    disputed: 'Valor contestado',
    returned: 'Valor devolvido',
    text: 'Justificativa',
    contest: 'Contestação da devolução',
    value: 'Valor',
    settledAt: 'Liquidado em (Brasília)',
    sender: 'Pagador',
    senderDocument: 'CPF ou CNPJ do pagador',
    receiver: 'Recebedor',
    receiverDocument: 'CPF ou CNPJ do recebedor',
    endToEnd: 'ID da transação (E2E)',
    externalRef: 'Referência',
    message: 'Mensagem ao pagador',
    createdAt: 'Criada em (Brasília)',
    bytes: 'bytes',
  },
  en: {
    title: { RECEIVED_MED: 'Dispute of a received PIX', REQUESTED_MED: 'Dispute of a sent PIX' },
    types: {
      UNDEFINED: 'Not informed',
      SCAM: 'Scam',
      WRONG_TRANSACTION: 'Transaction that was not authorised',
      COERCION_CRIME: 'Crime with coercion',
      UNAUTHORIZED_ACCESS: 'Unauthorised access',
    },
    tables: {
      dispute: 'Dispute',
      pix: 'Disputed PIX',
      operation: 'Operation',
      history: 'History of the operation (Brasília)',
      attachments: 'Attachments',
    },
    test: 'Test mode: no money was moved.',
    issuer: 'What this payment service has recorded of the disputed PIX. It is no document of a bank.',
    page: 'Page',
    uuid: 'Identifier',
    reason: 'Reason',
    openedAt: 'Opened at (Brasília)',
    disputed: 'Disputed value',
    returned: 'Returned value',
    text: 'Justification',
    contest: 'Contest of the return',
    value: 'Value',
    settledAt: 'Settled at (Brasília)',
    sender: 'Payer',
    senderDocument: "Payer's CPF or CNPJ",
    receiver: 'Receiver',
    receiverDocument: "Receiver's CPF or CNPJ",
    endToEnd: 'End-to-end id',
    externalRef: 'Reference',
    message: 'Message to the payer',
    createdAt: 'Created at (Brasília)',
    bytes: 'bytes',
  },
}

/** Presents the evidence about a disputed PIX as a document. Equal evidence is an equal document. */
export function showEvidenceDocument(evidence: DisputeEvidence, language: ReceiptLanguage) {
  const words = WORDS[language]
  const locale = language === 'en' ? 'en-GB' : language
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'BRL' })
  const zone = { timeZone: DEFAULT_TIME_ZONE }
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'medium', ...zone })
  const formatMoney = (cents: number) => money.format(cents / 100)
  const listRows = (facts: [name: FactName, text: string | null | undefined][]) =>
    facts.flatMap(([name, text]) => (text ? [{ name: words[name], cells: [text] }] : []))
  const { pix, operation, attachments } = evidence
  const tables = [
    {
      title: words.tables.dispute,
      rows: listRows([
        ['uuid', evidence.uuid],
        ['reason', words.types[evidence.type]],
        ['openedAt', time.format(evidence.openedAt)],
        ['disputed', formatMoney(evidence.valueCents)],
        ['returned', formatMoney(evidence.returnedCents)],
        ...evidence.texts.map((text): [FactName, string] => ['text', text]),
        ['contest', evidence.contest],
      ]),
    },
    {
      title: words.tables.pix,
      rows: listRows([
        ['value', formatMoney(pix.valueCents)],
        ['settledAt', pix.settledAt && time.format(pix.settledAt)],
        ['sender', pix.sender?.name],
        ['senderDocument', pix.sender?.document],
        ['receiver', pix.receiver?.name],
        ['receiverDocument', pix.receiver?.document],
        ['endToEnd', pix.endToEnd],
      ]),
    },
    ...(operation
      ? [
          {
            title: words.tables.operation,
            rows: listRows([
              ['uuid', operation.uuid],
              ['externalRef', operation.externalRef],
              ['message', operation.message],
              ['createdAt', time.format(operation.createdAt)],
            ]),
          },
          {
            title: words.tables.history,
            rows: operation.history.map(({ status, created_at }) => ({
              name: time.format(new Date(created_at)),
              cells: [status],
            })),
          },
        ]
      : []),
    {
      title: words.tables.attachments,
      rows: attachments.map(({ name, bytes }) => ({ name, cells: [`${bytes} ${words.bytes}`] })),
    },
  ]
  return {
    language,
    look: 'facts' as const,
    title: words.title[evidence.kind],
    lines: [...(evidence.mode === 'test' ? [words.test] : []), words.issuer],
    tables: tables.filter(({ rows }) => rows.length > 0),
    namePage: (page: number, last: number) => `${words.page} ${page}/${last}`,
    createdAt: evidence.updatedAt,
  }
}
