import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import { reaisFromCents, textFromCents } from '../../amount.ts'
import { formatBrazilianTime } from '../../brazilian-day.ts'
import type { SimulatedRecipient, SimulatedTransfer } from '../../transfers.ts'
import type { InterPayment } from './payment-store.ts'

// Presenters of Inter's payments (API Inter Empresas, "Pix Pagamento").

/** Presents a payment in its look-up ("ConsultaPixAsyncResponse"); `transfer` is undefined before it is sent. */
export function presentInterPayment(
  payment: InterPayment,
  transfer: SimulatedTransfer | undefined,
  account: SimulatedAccount,
) {
  const recipient = JSON.parse(payment.recipient) as SimulatedRecipient
  const status = nameStatus(payment, transfer)
  const changedAt = transfer?.settledAt ?? transfer?.requestedAt ?? payment.changedAt
  return {
    transacaoPix: {
      contaCorrente: readAccountOptions(account).account_number,
      recebedor: presentReceiver(recipient),
      ...(transfer?.status === 'rejected' ? { erros: [presentError(transfer)] } : {}),
      ...(transfer ? { endToEnd: transfer.endToEnd } : {}),
      valor: reaisFromCents(payment.cents),
      status,
      dataHoraMovimento: formatBrazilianTime(changedAt),
      dataHoraSolicitacao: formatBrazilianTime(payment.createdAt),
      ...(recipient.key === null ? {} : { chave: recipient.key }),
      codigoSolicitacao: payment.code,
    },
    historico: [
      { status: 'CRIADO', dataHoraEvento: formatBrazilianTime(payment.createdAt) },
      { status, dataHoraEvento: formatBrazilianTime(changedAt) },
    ],
  }
}

/** Presents a payment that ended in its notification ("CallbackPixPagamentoModel"). */
export function presentInterPaymentNotification(
  payment: InterPayment,
  transfer: SimulatedTransfer | undefined,
) {
  const recipient = JSON.parse(payment.recipient) as SimulatedRecipient
  return {
    codigoSolicitacao: payment.code,
    ...(recipient.key === null ? {} : { chave: recipient.key }),
    dataHoraMovimento: formatBrazilianTime(transfer?.settledAt ?? payment.changedAt),
    dataHoraSolicitacao: formatBrazilianTime(payment.createdAt),
    ...(payment.message === null ? {} : { descricaoPagamento: payment.message }),
    ...(transfer ? { endToEnd: transfer.endToEnd } : {}),
    instituicaoDestinatario: 'Banco de Teste S.A.',
    recebedor: presentReceiver(recipient),
    ...(transfer?.status === 'rejected' ? { erros: [presentError(transfer)] } : {}),
    status: transfer === undefined ? 'REPROVADO' : transfer.status === 'settled' ? 'EFETIVADO' : 'ERRO',
    tipoMovimentacao: 'PAGAMENTO',
    valor: textFromCents(payment.cents),
  }
}

function nameStatus({ state }: InterPayment, transfer: SimulatedTransfer | undefined): string {
  if (transfer) return TRANSFER_STATUS[transfer.status]
  return PAYMENT_STATUS[state]
}

const TRANSFER_STATUS = {
  in_process: 'ENVIADO',
  settled: 'PAGO',
  rejected: 'FALHA',
} as const satisfies Record<SimulatedTransfer['status'], string>

/** Statuses of a payment without a transfer; a sent one has one. */
const PAYMENT_STATUS = {
  waiting: 'AGUARDANDO_APROVACAO',
  scheduled: 'AGENDADO',
  sent: 'CRIADO',
  disapproved: 'REPROVADO',
  without_balance: 'CANCELADO_SEM_SALDO',
} as const satisfies Record<InterPayment['state'], string>

function presentReceiver({ name, document, bank }: SimulatedRecipient) {
  return {
    nome: name,
    cpfCnpj: document.length === 11 ? `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**` : document,
    ...(bank
      ? {
          codIspb: bank.ispb,
          codAgencia: bank.agencia,
          nroConta: bank.contaCorrente,
          tipoConta: bank.tipoConta,
        }
      : {}),
  }
}

function presentError({ code }: SimulatedTransfer) {
  return {
    codigoErro: 'PIX001',
    descricaoErro: 'Pagamento rejeitado pela instituição do recebedor.',
    codigoErroComplementar: code ?? '',
  }
}
