import { createInterAdapter } from '../../../src/providers/inter/adapter.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { cobOf, devolucaoOf, END_TO_END, pixOf, REFERENCE } from '../support/efi-fixture.ts'
import {
  acceptanceOf,
  credentials,
  NOW,
  PAYMENT_CODE,
  pageOf,
  paymentOf,
  transactionOf,
  transferOrder,
} from '../support/inter-fixture.ts'
import { type DocumentedAnswerExample, describeOptionalFields } from '../support/optional-fields.ts'
import { createScriptedPool } from '../support/scripted-connection-pool.ts'

/** The answers of Inter's OpenAPI document, with every field that they have. */

const { id } = transferOrder
const refund = { id: 'refund1', endToEnd: END_TO_END }
const range = ['2026-01-08T12:00:00.000Z', '2026-01-10T12:30:00.000Z'] as const

/** Makes a call with one answer; every other request is not found. */
function callWith<T>(
  requestPath: RegExp,
  answer: unknown,
  call: (provider: Provider) => Promise<T>,
): Promise<T> {
  const openPool = createScriptedPool({
    answer: { status: 200, body: JSON.stringify(answer) },
    requestPath,
    others: { status: 200, body: '{"pix":[],"parametros":{}}' },
  })
  const options = { baseUrl: 'https://inter.test', credentials, timeoutMs: 1_000, now: () => NOW }
  return call(createInterAdapter({ ...options, openPool }))
}

const examples: Record<string, DocumentedAnswerExample> = {
  sendTransfer: {
    answer: acceptanceOf(),
    needed: ['tipoRetorno', 'codigoSolicitacao'],
    call: answer => callWith(/pix$/, answer, provider => provider.sendTransfer(transferOrder)),
  },
  'findTransfer, paid': {
    answer: paymentOf({
      recebedor: {
        codIspb: '00416968',
        codAgencia: '1',
        nroConta: '2',
        cpfCnpj: '01123456000123',
        nome: 'Maria',
        tipoConta: 'CAC',
      },
    }),
    needed: ['transacaoPix', 'transacaoPix.codigoSolicitacao', 'transacaoPix.valor', 'transacaoPix.status'],
    call: answer =>
      callWith(/pix\//, answer, async provider => {
        const outcome = await provider.findTransfer({ id, handle: { ref: PAYMENT_CODE } })
        return outcome.kind === 'found' ? [outcome.payout.status, outcome.payout.cents] : outcome
      }),
  },
  'findTransfer, failed': {
    answer: paymentOf({
      status: 'FALHA',
      erros: [{ codigoErro: 'X', descricaoErro: 'so it is', codigoErroComplementar: 'Y' }],
    }),
    needed: ['transacaoPix', 'transacaoPix.codigoSolicitacao', 'transacaoPix.valor', 'transacaoPix.status'],
    call: answer =>
      callWith(/pix\//, answer, async provider => {
        const outcome = await provider.findTransfer({ id, handle: { ref: PAYMENT_CODE } })
        return outcome.kind === 'found' ? [outcome.payout.status, outcome.payout.cents] : outcome
      }),
  },
  balances: {
    answer: {
      disponivel: 1,
      bloqueadoCheque: 2,
      bloqueadoJudicialmente: 3,
      bloqueadoAdministrativo: 4,
      limite: 5,
      dataReferencia: '01/01/2024',
    },
    needed: ['disponivel'],
    amounts: ['bloqueadoCheque', 'bloqueadoJudicialmente', 'bloqueadoAdministrativo'],
    call: answer =>
      callWith(/saldo$/, answer, async provider => {
        const outcome = await provider.balances()
        return outcome.kind === 'found' ? outcome.balance.availableCents : outcome
      }),
  },
  'statement, a PIX': {
    answer: pageOf(
      transactionOf({
        detalhes: {
          txId: REFERENCE,
          nomePagador: 'Maria',
          descricaoPix: 'Aluguel',
          cpfCnpjPagador: '12345678909',
          contaBancariaRecebedor: '1',
          nomeEmpresaPagador: 'Banco Inter',
          tipoDetalhe: 'COMPLETE',
          endToEndId: END_TO_END,
          chavePixRecebedor: 'k',
          nomeEmpresaRecebedor: 'Banco Inter',
          nomeRecebedor: 'Loja',
          agenciaRecebedor: '1',
          cpfCnpjRecebedor: '01123456000123',
          origemMovimentacao: 'CHAVE',
          codigoSolicitacao: PAYMENT_CODE,
        },
      }),
    ),
    needed: [
      'totalElementos',
      'ultimaPagina',
      'transacoes',
      'transacoes[].tipoTransacao',
      'transacoes[].tipoOperacao',
      'transacoes[].valor',
      'transacoes[].detalhes',
      'transacoes[].detalhes.endToEndId',
    ],
    call: answer =>
      callWith(/extrato/, answer, async provider => {
        const outcome = await provider.statement(...range)
        if (outcome.kind !== 'found') return outcome
        return outcome.entries.map(({ endToEnd, direction, cents, at }) => ({
          endToEnd,
          direction,
          cents,
          at,
        }))
      }),
  },
  'statement, a tariff': {
    answer: pageOf(transactionOf({ tipoTransacao: 'TARIFA', tipoOperacao: 'D' })),
    needed: [
      'totalElementos',
      'ultimaPagina',
      'transacoes',
      'transacoes[].idTransacao',
      'transacoes[].tipoTransacao',
      'transacoes[].tipoOperacao',
      'transacoes[].valor',
    ],
    call: answer =>
      callWith(/extrato/, answer, async provider => {
        const outcome = await provider.statement(...range)
        return outcome.kind === 'found' ? outcome.accountEntries : outcome
      }),
  },
  findPayment: {
    answer: pixOf({ chave: 'k', infoPagador: 'x', componentesValor: { original: { valor: '12.34' } } }),
    needed: ['endToEndId', 'valor', 'horario'],
    call: answer =>
      callWith(/pix\//, answer, async provider => {
        const outcome = await provider.findPayment(END_TO_END)
        return outcome.kind === 'found' ? [outcome.payment.cents, outcome.payment.at] : outcome
      }),
  },
  findRefund: {
    answer: devolucaoOf({ motivo: 'x' }),
    needed: ['id', 'valor', 'status'],
    call: answer =>
      callWith(/devolucao/, answer, async provider => {
        const outcome = await provider.findRefund(refund)
        return outcome.kind === 'found' ? [outcome.payout.status, outcome.payout.cents] : outcome
      }),
  },
  findCharge: {
    answer: cobOf({
      loc: { id: 7, location: 'pix.example.com/7', tipoCob: 'cob', criacao: '2026-01-10T11:59:00.000Z' },
      location: 'pix.example.com/7',
      devedor: { cnpj: '01123456000123', nome: 'Loja' },
      solicitacaoPagador: 'x',
    }),
    needed: [
      'txid',
      'status',
      'calendario',
      'calendario.criacao',
      'calendario.expiracao',
      'valor',
      'valor.original',
    ],
    call: answer =>
      callWith(/cob\//, answer, async provider => {
        const outcome = await provider.findCharge(REFERENCE)
        return outcome.kind === 'found' ? [outcome.status, outcome.charge.totalCents] : outcome
      }),
  },
}

describeOptionalFields('Inter', examples)
