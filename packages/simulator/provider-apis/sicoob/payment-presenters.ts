import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import { reaisFromCents, textFromCents } from '../../amount.ts'
import type { KeyKind } from '../../pix-key.ts'
import { PAYER_BANK_ISPB } from '../../receipts.ts'
import type { SimulatedRecipient, SimulatedTransfer } from '../../transfers.ts'

// Presenters of Sicoob's payments (Pagamentos PIX 2.0.24.6).

const KEY_TYPES: Record<KeyKind, string> = {
  CPF: 'CPF',
  CNPJ: 'CNPJ',
  EMAIL: 'EMAIL',
  PHONE: 'TELEFONE',
  RANDOM: 'EVP',
}

/** Presents a payment that was started by a key ("PagamentoIniciadoDict"). */
export function presentStartedPayment(
  endToEnd: string,
  { key, keyKind, name, document }: SimulatedRecipient & { key: string; keyKind: KeyKind },
) {
  return {
    endToEndId: endToEnd,
    chave: key,
    tipo: KEY_TYPES[keyKind],
    proprietario: {
      identificador: document,
      nome: name,
      tipo: document.length === 11 ? 'FISICO' : 'JURIDICO',
    },
  }
}

/** Presents a confirmed payment ("RetornoPagamento"). */
export function presentPayment(transfer: SimulatedTransfer, account: SimulatedAccount) {
  const { endToEnd, cents, message, settledAt, requestedAt } = transfer
  const detalheRejeicao = findRejectionDetail(transfer)
  return {
    endToEndId: endToEnd,
    valor: reaisFromCents(cents),
    estado: nameState(transfer),
    horario: settledAt ?? requestedAt,
    ...(message ? { descricao: message } : {}),
    ...(detalheRejeicao ? { detalheRejeicao } : {}),
    origem: presentOrigin(transfer, account),
    destino: presentDestination(JSON.parse(transfer.recipient) as SimulatedRecipient),
  }
}

/** Presents a payment that ended in its notification (`Pix`). */
export function presentPaymentNotification(transfer: SimulatedTransfer) {
  const detalheRejeicao = findRejectionDetail(transfer)
  return {
    id: transfer.endToEnd,
    estado: transfer.status === 'settled' ? 'FINALIZADO_SUCESSO' : 'FINALIZADO_REJEICAO',
    valor: textFromCents(transfer.cents),
    ...(detalheRejeicao ? { detalheRejeicao } : {}),
  }
}

/** Causes in the payer's bank or the settlement: the payment never reached the receiver's bank. */
const CAUSES_BEFORE_RECEIVER: Record<string, string> = {
  AM04: 'Saldo insuficiente para realizar o pagamento.',
  AB03: 'Pagamento não realizado: tempo esgotado na liquidação.',
}

function nameState({ status, code }: SimulatedTransfer) {
  switch (status) {
    case 'in_process':
      return 'EM_PROCESSAMENTO'
    case 'settled':
      return 'FINALIZADO'
    case 'rejected':
      return code !== null && code in CAUSES_BEFORE_RECEIVER ? 'NÃO_REALIZADO' : 'REJEITADO'
    default:
      return status satisfies never
  }
}

function findRejectionDetail({ status, code }: SimulatedTransfer): string | null {
  if (status !== 'rejected') return null
  return CAUSES_BEFORE_RECEIVER[code ?? ''] ?? 'Pagamento rejeitado pelo PSP do recebedor'
}

function presentOrigin({ payerKey }: SimulatedTransfer, account: SimulatedAccount) {
  return {
    ispb: account.ispb,
    cpfCnpj: account.holderDocument,
    nome: account.holderName,
    conta: readAccountOptions(account).account_number,
    agencia: '0001',
    tipo: 'CORRENTE',
    ...(payerKey ? { chaveDict: payerKey } : {}),
  }
}

function presentDestination({ name, document, bank }: SimulatedRecipient) {
  return {
    ispb: bank?.ispb ?? PAYER_BANK_ISPB,
    cpfCnpj: document,
    nome: name,
    conta: bank?.conta ?? '123456',
    agencia: bank?.agencia ?? '0001',
    tipo: bank?.tipo ?? 'CORRENTE',
    boolFavorecido: false,
  }
}
