import * as sdk from 'sdk-node-apis-efi'
import { z } from 'zod'
import { createEfiAdapter } from '../../../src/providers/efi/adapter.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { credentials, END_TO_END, NOW, REFERENCE, RETURN_ID } from '../support/efi-fixture.ts'
import { type DocumentedAnswerExample, describeOptionalFields } from '../support/optional-fields.ts'
import { cobrOf, RAIL_ID, recOf } from '../support/recurrences.ts'
import { createScriptedPool } from '../support/scripted-connection-pool.ts'

/** The answers of Efí's documentation and of the types of its official SDK, with every field that they have. */

const ID = '8ad75c93-6150-422c-929e-822f361c7a6b'
const at = '2026-01-10T12:01:00.000Z'
const range = ['2026-01-01T00:00:00.000Z', '2026-01-10T23:59:59.999Z'] as const
const holder = { nome: 'Maria', cpf: '***.456.789-**', codigoBanco: '00416968' }
const paging = {
  inicio: range[0],
  fim: range[1],
  paginacao: { paginaAtual: 0, itensPorPagina: 100, quantidadeDePaginas: 1, quantidadeTotalDeItens: 1 },
}
const erro = { codigo: 'AC03', origem: 'PSP do usuário recebedor', motivo: 'Conta inexistente' }
const devolucao = {
  id: 'refund1',
  rtrId: RETURN_ID,
  valor: '5.00',
  natureza: 'MED_FRAUDE',
  horario: { solicitacao: at, liquidacao: at },
  status: 'DEVOLVIDO',
  motivo: 'AB03',
  gnExtras: { erro },
}
const received = {
  endToEndId: END_TO_END,
  txid: REFERENCE,
  valor: '12.34',
  chave: 'chave@exemplo.com.br',
  horario: at,
  infoPagador: 'Pedido 7',
  pagador: { ...holder, contaBanco: { codigoBanco: '00416968' } },
  gnExtras: { pagador: holder, tarifa: '0.01' },
  devolucoes: [devolucao],
}
const cob = {
  calendario: { criacao: '2026-01-10T11:59:00.000Z', expiracao: 3600 },
  txid: REFERENCE,
  revisao: 0,
  status: 'ATIVA',
  valor: { original: '12.34' },
  chave: 'chave@exemplo.com.br',
  devedor: { cpf: '12345678909', nome: 'Maria' },
  solicitacaoPagador: 'Pedido 7',
  infoAdicionais: [{ nome: 'Pedido', valor: '7' }],
  loc: { id: 7, location: 'pix.example.com/v2/7', tipoCob: 'cob', criacao: at },
  location: 'pix.example.com/v2/7',
  pixCopiaECola: '00020101021226...',
  recebedor: holder,
}
const sentPix = {
  endToEndId: END_TO_END,
  idEnvio: 'transfer1',
  valor: '10.50',
  chave: 'loja@trilho.test',
  status: 'REALIZADO',
  infoPagador: 'Aluguel',
  horario: { solicitacao: at, liquidacao: at },
  favorecido: { chave: 'maria@example.com', identificacao: holder, contaBanco: holder },
  gnExtras: { erro },
  devolucoes: [{ id: 'back1', rtrId: RETURN_ID, valor: '5.00', horario: at, status: 'DEVOLVIDO' }],
}
const sentAndRefused = { ...sentPix, status: 'NAO_REALIZADO', devolucoes: undefined }
const infraction = {
  idInfracao: ID,
  endToEndId: END_TO_END,
  protocolo: 1313,
  dataTransacao: at,
  valor: 12.34,
  chave: 'chave@exemplo.com.br',
  status: 'ABERTA',
  razao: 'Solicitacao de devolução',
  tipoSituacao: 'golpe',
  tipoFraude: 'aplicativo fraudulento',
  comentario: 'Boleto falso',
  defesa: 'Entregue.',
  justificativaAnalista: 'Sem indício',
  identificadorTicket: [94],
  dadosAnalise: { abertura: at, prazoFinalizacao: at, recebimentoDefesa: at, finalizacao: at },
  origem: { nomeParticipante: 'Banco', conta: 1, nome: 'Maria', documento: '12345678909' },
  destino: { nomeParticipante: 'Efí', conta: 2, nome: 'Loja', documento: '11222333000181' },
  criadoEm: at,
  atualizadoEm: at,
}

type AnsweredCall = { requestPath?: RegExp; others?: unknown; status?: number }

/** Makes a call whose answer is the example; `others` answers its other requests. */
function answering(
  make: (provider: Provider) => Promise<unknown>,
  { requestPath, others, status = 200 }: AnsweredCall = {},
): DocumentedAnswerExample['call'] {
  return async answer => {
    const toAnswer = (json: unknown) => ({ status, body: JSON.stringify(json) })
    const openPool = createScriptedPool({
      answer: toAnswer(answer),
      requestPath,
      ...(others === undefined ? {} : { others: toAnswer(others) }),
    })
    const options = { openPool, credentials, baseUrl: 'https://efi.test', timeoutMs: 1_000, now: () => NOW }
    const provider = createEfiAdapter(options)
    try {
      return await make(provider)
    } finally {
      await provider.close()
    }
  }
}

/** Without what only optional fields say: names, texts, the times of a look-up, codes of rejections. */
type LookedUp = { kind: string; code?: string; payout?: { status: string } }
const payoutOf = ({ kind, code, payout }: LookedUp) => ({ kind, code, status: payout?.status })

const refundOrder = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const transferOrder = {
  id: 'transfer1',
  cents: 1050,
  destination: keyDestination('maria@example.com'),
  payerKey: 'loja@trilho.test',
}
const chargeOrder = { reference: REFERENCE, totalCents: 1234, expiresInSeconds: 3600, collectionKey: 'k' }

const issueCharge = answering(
  async provider => {
    const issued = await provider.issueCharge(chargeOrder)
    return issued.kind === 'accepted'
      ? { payload: issued.charge.payload, at: issued.charge.expiresAt }
      : issued
  },
  { requestPath: /\/v2\/cob\//, others: { qrcode: cob.pixCopiaECola }, status: 201 },
)
const findCharge = answering(async provider => {
  const outcome = await provider.findCharge(REFERENCE)
  if (outcome.kind !== 'found') return outcome
  return {
    status: outcome.status,
    payments: outcome.payments.map(({ endToEnd, cents }) => [endToEnd, cents]),
  }
})
const findRefund = answering(async provider => payoutOf(await provider.findRefund(refundOrder)))
const findTransfer = answering(async provider => payoutOf(await provider.findTransfer({ id: 'transfer1' })))
const readStatement = (requestPath: RegExp) =>
  answering(
    async provider => {
      const list = await provider.statement(...range)
      if (list.kind !== 'found') return list
      // A return is optional in its PIX.
      return list.entries.filter(({ returnOf }) => !returnOf).map(({ endToEnd, cents }) => [endToEnd, cents])
    },
    { requestPath, others: { parametros: paging, pix: [] } },
  )
const listDisputes = (options?: AnsweredCall) =>
  answering(async provider => {
    const list = await provider.listDisputes(...range)
    return list.kind === 'found' ? list.disputes.map(({ id, kind, status }) => [id, kind, status]) : list
  }, options)
const disputedPix = { requestPath: /\/pix\//, others: { parametros: paging, infracoes: [infraction] } }

const COB_FIELDS = ['txid', 'status', 'calendario', 'valor', 'valor.original']
const COB_NEEDED = [...COB_FIELDS, 'calendario.criacao', 'calendario.expiracao']
/** The documents that the SDK's types offer in place of each other. */
const COMPANY = ['devedor.cnpj']

describeOptionalFields('Efí', {
  'issueCharge: a created charge': {
    answer: cob,
    // Without `loc` the payload is only in the charge, and without that only in its location.
    needed: COB_NEEDED,
    schema: publishedSchema(sdk.PixCreateChargeResponseSchema),
    alternatives: COMPANY,
    call: issueCharge,
  },
  'issueCharge: the code of its location': {
    answer: { qrcode: cob.pixCopiaECola, imagemQrcode: 'data:image/png;base64,x', linkVisualizacao: 'x' },
    needed: ['qrcode'],
    schema: publishedSchema(sdk.PixGenerateQRCodeResponseSchema),
    call: answering(async provider => (await provider.issueCharge(chargeOrder)).kind, {
      requestPath: /\/qrcode$/,
      others: { ...cob, pixCopiaECola: undefined },
    }),
  },
  'findCharge: an active charge': {
    answer: { ...cob, pix: [received] },
    needed: [...COB_NEEDED, 'pix', 'pix[].endToEndId', 'pix[].valor', 'pix[].horario'],
    call: findCharge,
  },
  'findCharge: a paid charge': {
    answer: { ...cob, status: 'CONCLUIDA', pix: [received] },
    needed: [...COB_NEEDED, 'pix', 'pix[].endToEndId', 'pix[].valor', 'pix[].horario'],
    call: findCharge,
  },
  'findCharge: a charge without payments': {
    answer: cob,
    needed: COB_NEEDED,
    schema: withoutPayments(publishedSchema(sdk.PixDetailChargeResponseSchema)),
    alternatives: COMPANY,
    call: findCharge,
  },
  'findCharge: a paid debit': {
    answer: cobrOf({
      status: 'CONCLUIDA',
      infoAdicional: 'Fevereiro',
      devedor: { email: 'ana@exemplo.com.br', cidade: 'Recife' },
      pix: [
        { endToEndId: END_TO_END, txid: REFERENCE, valor: '50.00', horario: at, devolucoes: [devolucao] },
      ],
      tentativas: [
        {
          dataLiquidacao: '2026-02-05',
          tipo: 'AGND',
          status: 'PAGA',
          endToEndId: END_TO_END,
          atualizacao: [{ status: 'PAGA', data: at }],
          rejeicao: { codigo: 'AM02', descricao: 'so it is' },
        },
      ],
      encerramento: { cancelamento: { solicitante: 'USUARIO_RECEBEDOR', codigo: 'SLCR', descricao: 'x' } },
    }),
    needed: [
      ...['idRec', 'txid', 'status', 'calendario', 'calendario.dataDeVencimento', 'valor', 'valor.original'],
      ...['pix', 'pix[].endToEndId', 'pix[].valor', 'pix[].horario'],
    ],
    call: answering(async provider => {
      const outcome = await provider.findCharge(REFERENCE, { isDue: false, isDebit: true })
      if (outcome.kind !== 'found') return outcome
      return [outcome.status, outcome.payments.map(({ endToEnd, cents }) => [endToEnd, cents])]
    }),
  },
  'findRecurrence: an active recurrence': {
    answer: recOf({
      status: 'APROVADA',
      pagador: { codMun: '2673833', cpf: '75633122216', ispbParticipante: '81102623' },
      loc: { id: 108, location: 'pix.example.com/qr/v2/rec/1', criacao: at, idRec: RAIL_ID },
      solicitacao: [{ idSolicRec: 'SC1', status: 'ACEITA' }],
      encerramento: { cancelamento: { solicitante: 'USUARIO_RECEBEDOR', codigo: 'SLCR', descricao: 'x' } },
      dadosQR: { jornada: 'JORNADA_2', pixCopiaECola: '00020101021226...' },
    }),
    needed: ['idRec', 'status', 'vinculo', 'vinculo.contrato'],
    call: answering(async provider => {
      const debtor = { name: 'Ana Souza', document: '52998224725' }
      const sent = { reference: REFERENCE, railId: RAIL_ID, debtor, orderedAt: at }
      const outcome = await provider.findRecurrence!(sent)
      return outcome.kind === 'found' ? [outcome.recurrence.railId, outcome.recurrence.status] : outcome
    }),
  },
  'cancelCharge: a removed charge': {
    answer: { ...cob, status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' },
    needed: COB_NEEDED,
    schema: publishedSchema(sdk.PixUpdateChargeResponseSchema),
    alternatives: COMPANY,
    call: answering(async provider => (await provider.cancelCharge(REFERENCE)).kind),
  },
  'findPayment: a received PIX': {
    answer: received,
    needed: ['endToEndId', 'valor', 'horario'],
    schema: publishedSchema(sdk.PixDetailReceivedResponseSchema),
    call: answering(async provider => {
      const outcome = await provider.findPayment(END_TO_END)
      return outcome.kind === 'found'
        ? [outcome.payment.endToEnd, outcome.payment.cents, outcome.payment.at]
        : outcome
    }),
  },
  'refund: a devolução in process': {
    answer: { ...devolucao, status: 'EM_PROCESSAMENTO' },
    needed: ['id', 'valor', 'status'],
    schema: publishedSchema(sdk.PixDevolutionResponseSchema),
    call: answering(async provider => payoutOf((await provider.refund(refundOrder)) as LookedUp), {
      status: 201,
    }),
  },
  'findRefund: a settled devolução': {
    answer: devolucao,
    needed: ['id', 'valor', 'status'],
    schema: publishedSchema(sdk.PixDetailDevolutionResponseSchema),
    call: findRefund,
  },
  'findRefund: a devolução that was not carried out': {
    answer: { ...devolucao, status: 'NAO_REALIZADO' },
    needed: ['id', 'valor', 'status'],
    call: findRefund,
  },
  'sendTransfer: a PIX in process': {
    answer: { ...sentPix, e2eId: END_TO_END, status: 'EM_PROCESSAMENTO' },
    needed: ['idEnvio', 'valor', 'status'],
    schema: publishedSchema(sdk.PixSendResponseSchema),
    call: answering(async provider => payoutOf((await provider.sendTransfer(transferOrder)) as LookedUp), {
      status: 201,
    }),
  },
  'findTransfer: a sent PIX': {
    answer: sentPix,
    needed: ['idEnvio', 'valor', 'status'],
    schema: publishedSchema(sdk.PixSendDetailIdResponseSchema),
    call: findTransfer,
  },
  'findTransfer: a PIX that was not carried out': {
    answer: sentAndRefused,
    needed: ['idEnvio', 'valor', 'status'],
    call: findTransfer,
  },
  'createKey: a random key': {
    answer: { chave: ID },
    needed: ['chave'],
    schema: publishedSchema(sdk.PixCreateEvpResponseSchema),
    call: answering(provider => provider.createKey({ type: 'RANDOM', key: null }), { status: 201 }),
  },
  'listKeys: random keys': {
    answer: { chaves: [ID] },
    needed: ['chaves'],
    schema: publishedSchema(sdk.PixListEvpResponseSchema),
    call: answering(provider => provider.listKeys()),
  },
  'balances: with blocked amounts': {
    answer: { saldo: '10.00', bloqueios: { judicial: '0.00', med: '0.00', total: '0.00' } },
    needed: ['saldo', 'bloqueios.total'],
    amounts: ['bloqueios'],
    schema: publishedSchema(sdk.GetAccountBalanceResponseSchema),
    call: answering(provider => provider.balances()),
  },
  'statement: received PIX': {
    answer: { parametros: paging, pix: [received] },
    needed: ['pix', 'pix[].endToEndId', 'pix[].valor', 'pix[].horario'],
    call: readStatement(/\/v2\/pix$/),
  },
  'statement: sent PIX': {
    answer: { parametros: paging, pix: [sentPix] },
    // Without these it is unknown which PIX moved how much, and when.
    needed: ['pix', ...['endToEndId', 'valor', 'status', 'horario'].map(field => `pix[].${field}`)],
    call: readStatement(/\/enviados$/),
  },
  'registerNotificationUrl: the configuration of the account': {
    answer: {
      pix: {
        receberSemChave: true,
        chaves: {
          k: {
            recebimento: {
              txidObrigatorio: false,
              recusarTipoPessoa: 'PF',
              qrCodeEstatico: { recusarTodos: false },
              documentoPagadorIgualDevedor: false,
              webhook: {
                notificacao: { tarifa: false, pagador: true },
                notificar: { pixSemTxid: true },
              },
            },
            envio: { webhook: { notificacao: { tarifa: false, favorecido: true } } },
          },
        },
      },
    },
    needed: [],
    schema: publishedSchema(sdk.ListAccountConfigResponseSchema),
    call: answering(
      async provider => (await provider.registerNotificationUrl('https://t.test/n', 'k')).kind,
      {
        requestPath: /\/gn\/config$/,
        others: {},
      },
    ),
  },
  'listDisputes: an infraction': {
    answer: { parametros: paging, infracoes: [infraction] },
    needed: [
      'infracoes',
      ...['idInfracao', 'endToEndId', 'valor', 'status', 'dadosAnalise', 'dadosAnalise.abertura'].map(
        field => `infracoes[].${field}`,
      ),
    ],
    schema: publishedSchema(sdk.MedListResponseSchema),
    call: listDisputes({ requestPath: /\/infracoes$/, others: received }),
  },
  'listDisputes: the received PIX of an infraction': {
    answer: received,
    needed: ['endToEndId', 'valor', 'horario'],
    call: listDisputes(disputedPix),
  },
})

/** The JSON Schema of one of the SDK's types, which are of another zod. */
function publishedSchema(type: unknown) {
  return z.toJSONSchema(type as z.ZodType) as object
}

/** The SDK's schema of a charge without the list of its payments. */
function withoutPayments(schema: { properties?: Record<string, unknown> }) {
  const { pix: _, ...properties } = schema.properties ?? {}
  return { ...schema, properties }
}
