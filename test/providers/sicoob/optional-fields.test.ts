import type { Provider } from '../../../src/providers/port.ts'
import { createSicoobAdapter } from '../../../src/providers/sicoob/adapter.ts'
import { cobvOf, dueOrder } from '../support/due-charges.ts'
import { type DocumentedAnswerExample, describeOptionalFields } from '../support/optional-fields.ts'
import { createScriptedPool } from '../support/scripted-connection-pool.ts'
import {
  cobOf,
  credentials,
  devolucaoOf,
  END_TO_END,
  HANDLE,
  initiationOf,
  NOW,
  paymentOf,
  pixOf,
  REFERENCE,
  transferOrder,
} from '../support/sicoob-fixture.ts'

/** The answers of Sicoob's OpenAPI documents, with every field that they have. */

const at = '2026-01-10T12:01:00.000Z'
const account = {
  ispb: '02038232',
  cpfCnpj: '11222333000181',
  nome: 'Loja',
  conta: '48213705',
  agencia: '1',
  tipo: 'CORRENTE',
  chaveDict: 'loja@trilho.test',
}
const devolucao = devolucaoOf({
  natureza: 'ORIGINAL',
  descricao: 'Troca',
  horario: { solicitacao: at, liquidacao: at },
  status: 'DEVOLVIDO',
  motivo: 'AB03',
})
const pix = pixOf({ infoPagador: 'Pedido 7', devolucoes: [devolucao] })
const cob = cobOf({
  devedor: { cpf: '12345678909', nome: 'Maria' },
  loc: { id: 7, location: 'pix.example.com/v2/7', tipoCob: 'cob', criacao: at, txid: REFERENCE },
  location: 'pix.example.com/v2/7',
  infoAdicionais: [{ nome: 'Pedido', valor: '7' }],
  solicitacaoPagador: 'Pedido 7',
})
const payment = paymentOf({
  descricao: 'Aluguel',
  dataAgendamento: '2026-01-10',
  origem: account,
  destino: { ...account, boolFavorecido: false },
})
const refundOrder = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const order = { reference: REFERENCE, totalCents: 1234, expiresInSeconds: 3600, collectionKey: 'k' }
const COB_NEEDS = ['txid', 'status', 'calendario', 'calendario.criacao', 'calendario.expiracao', 'valor']
const AMOUNT = 'valor.original'
const cobv = cobvOf()
const COBV_NEEDS = [
  'txid',
  'status',
  'calendario',
  'calendario.dataDeVencimento',
  'calendario.validadeAposVencimento',
  'valor',
  AMOUNT,
]
/** What an answer shows of the terms must be what was ordered; it may leave each out. */
const COBV_MEMBER_FIELDS = [
  ...['multa', 'juros', 'abatimento'].flatMap(name => [
    `valor.${name}.modalidade`,
    `valor.${name}.valorPerc`,
  ]),
  'valor.desconto.modalidade',
  'valor.desconto.descontoDataFixa',
  'valor.desconto.descontoDataFixa[].data',
  'valor.desconto.descontoDataFixa[].valorPerc',
]
const COBV_COMPARED = ['multa', 'juros', 'abatimento', 'desconto'].map(name => `valor.${name}`)

/** Makes a call whose answer is the example; returns what no optional field may change. */
function answering(make: (provider: Provider) => Promise<unknown>): DocumentedAnswerExample['call'] {
  return async answer => {
    const openPool = createScriptedPool({ answer: { status: 200, body: JSON.stringify(answer) } })
    const options = {
      openPool,
      credentials,
      baseUrl: 'https://sicoob.test',
      timeoutMs: 1_000,
      now: () => NOW,
    }
    const provider = createSicoobAdapter(options)
    try {
      return await make(provider)
    } finally {
      await provider.close()
    }
  }
}

type Payout = { kind: string; code?: string; payout?: { status: string; cents: number } }
const payoutOf = ({ kind, code, payout }: Payout) => ({
  kind,
  code,
  status: payout?.status,
  cents: payout?.cents,
})

describeOptionalFields('Sicoob', {
  'issueCharge, active': {
    answer: cob,
    needed: [...COB_NEEDS, AMOUNT, 'brcode'],
    call: answering(async provider => {
      const outcome = await provider.issueCharge(order)
      return { kind: outcome.kind, payload: 'charge' in outcome && outcome.charge.payload }
    }),
  },
  'findCharge, paid': {
    answer: { ...cob, status: 'CONCLUIDA', pix: [pix] },
    needed: [...COB_NEEDS, AMOUNT, 'pix', ...['endToEndId', 'valor', 'horario'].map(name => `pix[].${name}`)],
    call: answering(async provider => {
      const outcome = await provider.findCharge(REFERENCE)
      if (outcome.kind !== 'found') return outcome
      return { status: outcome.status, cents: outcome.payments.map(({ cents }) => cents) }
    }),
  },
  'issueCharge with a due date, active': {
    answer: cobv,
    needed: [...COBV_NEEDS, ...COBV_MEMBER_FIELDS, 'pixCopiaECola'],
    amounts: COBV_COMPARED,
    call: answering(async provider => {
      const outcome = await provider.issueCharge(dueOrder)
      return { kind: outcome.kind, payload: 'charge' in outcome && outcome.charge.payload }
    }),
  },
  'findCharge with a due date, paid': {
    answer: { ...cobv, status: 'CONCLUIDA', pix: [pix] },
    needed: [...COBV_NEEDS, 'pix', ...['endToEndId', 'valor', 'horario'].map(name => `pix[].${name}`)],
    call: answering(async provider => {
      const outcome = await provider.findCharge(REFERENCE, { isDue: true })
      if (outcome.kind !== 'found') return outcome
      return { status: outcome.status, cents: outcome.payments.map(({ cents }) => cents) }
    }),
  },
  findPayment: {
    answer: pix,
    needed: ['endToEndId', 'valor', 'horario'],
    call: answering(async provider => {
      const outcome = await provider.findPayment(END_TO_END)
      return outcome.kind === 'found' ? [outcome.payment.cents, outcome.payment.status] : outcome
    }),
  },
  refund: {
    answer: devolucao,
    needed: ['id', 'valor', 'status'],
    call: answering(async provider => payoutOf(await provider.refund(refundOrder))),
  },
  findRefund: {
    answer: devolucao,
    needed: ['valor', 'status'],
    call: answering(async provider => payoutOf(await provider.findRefund(refundOrder))),
  },
  prepareTransfer: {
    answer: initiationOf(),
    needed: ['endToEndId'],
    call: answering(async provider => {
      const outcome = await provider.prepareTransfer!(transferOrder)
      return outcome.kind === 'prepared' ? [outcome.handle.ref, outcome.handle.expiresAt] : outcome
    }),
  },
  'sendTransfer, in process': {
    answer: payment,
    needed: ['endToEndId', 'estado', 'valor'],
    call: answering(async provider => payoutOf(await provider.sendTransfer(transferOrder, HANDLE))),
  },
  'findTransfer, settled': {
    answer: { ...payment, estado: 'FINALIZADO' },
    needed: ['endToEndId', 'estado', 'valor'],
    call: answering(async provider => payoutOf(await provider.findTransfer({ id: 'a', handle: HANDLE }))),
  },
  'findTransfer, rejected': {
    answer: { ...payment, estado: 'REJEITADO', detalheRejeicao: 'Conta encerrada' },
    needed: ['endToEndId', 'estado', 'valor'],
    call: answering(async provider => payoutOf(await provider.findTransfer({ id: 'a', handle: HANDLE }))),
  },
  balances: {
    answer: { saldo: 10, saldoLimite: 5, saldoBloqueado: 0 },
    needed: ['saldo'],
    amounts: ['saldoBloqueado'],
    call: answering(provider => provider.balances()),
  },
})
