import type { Party } from '../../domain/pix/party.ts'
import { DEFAULT_TIME_ZONE } from '../../domain/shared/time-zone.ts'
import type { ReceiptKind, ReceiptLanguage, ShownReceipt } from './receipt.ts'

/** The texts of a receipt as a document. They are no dictionary of the dashboard: the API writes the same document. */
type Words = {
  title: Record<ReceiptKind, string>
  test: string
  issuer: string
  page: string
  facts: string
  returns: string
  authentication: string
} & Record<FactName, string>
type FactName =
  | 'value'
  | 'settledAt'
  | 'sender'
  | 'senderDocument'
  | 'senderBank'
  | 'receiver'
  | 'receiverDocument'
  | 'receiverBank'
  | 'pixKey'
  | 'txid'
  | 'endToEnd'
  | 'original'
  | 'uuid'
  | 'returned'
  | 'code'
  | 'check'
  | 'checkableUntil'

const WORDS: Record<ReceiptLanguage, Words> = {
  'pt-BR': {
    title: {
      PAYMENT: 'Comprovante de pagamento Pix',
      TRANSFER: 'Comprovante de transferência Pix',
      REFUND: 'Comprovante de devolução Pix',
    },
    test: 'Ambiente de teste: nenhum dinheiro foi movimentado.',
    issuer: 'Emitido por este serviço de pagamentos. Não é o comprovante oficial do banco.',
    page: 'Página',
    facts: 'Operação',
    returns: 'Devolvido depois',
    authentication: 'Autenticação',
    value: 'Valor',
    settledAt: 'Liquidado em (Brasília)',
    sender: 'Pagador',
    senderDocument: 'CPF ou CNPJ do pagador',
    senderBank: 'Banco do pagador',
    receiver: 'Recebedor',
    receiverDocument: 'CPF ou CNPJ do recebedor',
    receiverBank: 'Banco do recebedor',
    pixKey: 'Chave Pix',
    txid: 'TxID',
    endToEnd: 'ID da transação (E2E)',
    original: 'E2E do Pix devolvido',
    uuid: 'Identificador',
    returned: 'Total devolvido',
    code: 'Código',
    check: 'Confira em',
    checkableUntil: 'Pode ser conferido até',
  },
  en: {
    title: { PAYMENT: 'PIX payment receipt', TRANSFER: 'PIX transfer receipt', REFUND: 'PIX refund receipt' },
    test: 'Test mode: no money was moved.',
    issuer: "Issued by this payment service. It is not the bank's official receipt.",
    page: 'Page',
    facts: 'Operation',
    returns: 'Returned since',
    authentication: 'Authentication',
    value: 'Value',
    settledAt: 'Settled at (Brasília)',
    sender: 'Payer',
    senderDocument: "Payer's CPF or CNPJ",
    senderBank: "Payer's bank",
    receiver: 'Receiver',
    receiverDocument: "Receiver's CPF or CNPJ",
    receiverBank: "Receiver's bank",
    pixKey: 'PIX key',
    txid: 'TxID',
    endToEnd: 'End-to-end id',
    original: 'End-to-end id of the returned PIX',
    uuid: 'Identifier',
    returned: 'Returned in total',
    code: 'Code',
    check: 'Check it at',
    checkableUntil: 'Can be checked until',
  },
}

/** Presents a receipt as a document. Equal receipts are equal documents: times are those of Brasília, and none is that of its writing. */
export function showReceiptDocument(receipt: ShownReceipt, language: ReceiptLanguage) {
  const words = WORDS[language]
  const locale = language === 'en' ? 'en-GB' : language
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'BRL' })
  const time = new Intl.DateTimeFormat(locale, {
    dateStyle: 'short',
    timeStyle: 'medium',
    timeZone: DEFAULT_TIME_ZONE,
  })
  const formatMoney = (cents: number) => money.format(cents / 100)
  const formatTime = (at: Date | null) => (at ? time.format(at) : '–')
  const listRows = (facts: [name: FactName, text: string | undefined][]) =>
    facts
      .filter(([, text]) => text !== undefined)
      .map(([name, text]) => ({ name: words[name], cells: [text || '–'] }))
  const { kind, uuid, mode, pix, returns } = receipt
  const { sender, receiver, pix_key, txid } = pix.initiation
  return {
    language,
    look: 'facts' as const,
    title: words.title[kind],
    lines: [...(mode === 'test' ? [words.test] : []), words.issuer],
    tables: [
      {
        title: words.facts,
        rows: listRows([
          ['value', formatMoney(pix.value)],
          ['settledAt', formatTime(pix.settled_at)],
          ['sender', sender?.name ?? ''],
          ['senderDocument', sender?.document ?? ''],
          ['senderBank', nameBank(sender)],
          ['receiver', receiver.name],
          ['receiverDocument', receiver.document],
          ['receiverBank', nameBank(receiver)],
          ['pixKey', pix_key],
          ['txid', txid ?? undefined],
          ['endToEnd', pix.end_to_end],
          ['original', receipt.original_end_to_end],
          ['uuid', uuid],
        ]),
      },
      ...(returns.length > 0
        ? [
            {
              title: words.returns,
              headings: [words.settledAt, words.value, words.endToEnd],
              rows: [
                ...returns.map(one => ({
                  name: formatTime(one.settled_at),
                  cells: [formatMoney(one.value), one.end_to_end || '–'],
                })),
                { name: words.returned, cells: [formatMoney(receipt.returned_value), ''], isTotal: true },
              ],
            },
          ]
        : []),
      {
        title: words.authentication,
        rows: listRows([
          ['code', receipt.authentication],
          ['check', receipt.check_url],
          ['checkableUntil', formatTime(receipt.checkable_until)],
        ]),
      },
    ],
    namePage: (page: number, last: number) => `${words.page} ${page}/${last}`,
    createdAt: returns.at(-1)?.settled_at ?? pix.settled_at!,
  }
}

function nameBank(party: Party | null): string {
  return party?.bank.name || party?.bank.ispb || ''
}
