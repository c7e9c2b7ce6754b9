import { randomUUID } from 'node:crypto'
import type { SimulatedResponse } from '../../provider-calls.ts'
import { type BacenViolation, bacenNotFound, buildBacenProblem } from './problems.ts'

// The refusals that the Central Bank's text lists for each tag of its API (pix-api 2.9.0, "Tratamento de erros").

/** What a refusal of recurrences is about: a recurrence, a consent request, an automatic charge, a location, or a webhook. */
export type BacenRecurrenceSubject = 'rec' | 'solicrec' | 'cobr' | 'locrec' | 'webhookrec' | 'webhookcobr'
/** What an invalid field belongs to. */
export type BacenSubject = 'cob' | 'cobv' | 'pix' | 'devolucao' | 'webhook' | BacenRecurrenceSubject
/** An invalid field, by its path in a part of the request. */
type FieldIssue = { place: 'body' | 'params' | 'query'; path: string[]; message: string }

/** The refusals of the Central Bank's API in a bank's words. */
export type BacenRefusals = {
  invalidFields(subject: BacenSubject, issues: FieldIssue[]): SimulatedResponse
  invalidRange(subject: BacenSubject): SimulatedResponse
  chargeAmountZero(): SimulatedResponse
  keyNotOfAccount(subject: 'cob' | 'webhook'): SimulatedResponse
  locationUnknown(): SimulatedResponse
  locationInUse(): SimulatedResponse
  locationOfOtherKind(): SimulatedResponse
  txidInUse(): SimulatedResponse
  chargeNotFound(): SimulatedResponse
  chargeNotActive(): SimulatedResponse
  revisionUnknown(): SimulatedResponse
  pixNotFound(): SimulatedResponse
  refundNotFound(): SimulatedResponse
  refundIdInUse(): SimulatedResponse
  refundAmountZero(): SimulatedResponse
  refundInvalid(violation: BacenViolation): SimulatedResponse
  webhookNotFound(): SimulatedResponse
  webhookUrlInvalid(): SimulatedResponse
  webhookUrlInsecure(): SimulatedResponse
}

/** The refusals of what cannot be parsed. */
export type BacenFieldRefusals = Pick<BacenRefusals, 'invalidFields' | 'invalidRange'>

/** The refusals of charges with a due date, which have more rules. */
export type BacenDueRefusals = BacenRefusals & {
  chargeInvalid(razao: string, propriedade: string): SimulatedResponse
  removalWithChanges(): SimulatedResponse
}

/** Builds the Central Bank's own refusals of charges with a due date, as `createBacenRefusals`. */
export function createBacenDueRefusals(
  build: (response: SimulatedResponse) => SimulatedResponse = response => response,
): BacenDueRefusals {
  const chargeInvalid = (razao: string, propriedade: string) =>
    build(
      buildBacenProblem(400, 'CobVOperacaoInvalida', {
        title: 'Cobrança inválida.',
        detail: DUE_CHARGE_DETAIL,
        violacoes: [{ razao, propriedade }],
      }),
    )
  return {
    ...createBacenRefusals(build),
    chargeInvalid,
    removalWithChanges: () =>
      chargeInvalid(
        'A cobrança está ATIVA, e a presente requisição propõe alterar seu status para REMOVIDA_PELO_USUARIO_RECEBEDOR juntamente com outras alterações.',
        'cobv.status',
      ),
    chargeAmountZero: () =>
      chargeInvalid('O campo cobv.valor.original apresenta o valor zero.', 'cobv.valor.original'),
    keyNotOfAccount: () =>
      chargeInvalid(
        'O campo cobv.chave corresponde a uma conta que não pertence a este usuário recebedor.',
        'cobv.chave',
      ),
    locationUnknown: () => chargeInvalid('O location referenciado por cobv.loc.id inexiste.', 'cobv.loc.id'),
    locationInUse: () =>
      chargeInvalid(
        'O location referenciado por cobv.loc.id já está sendo utilizado por outra cobrança.',
        'cobv.loc.id',
      ),
    locationOfOtherKind: () =>
      chargeInvalid(
        'O location referenciado por cobv.loc.id apresenta tipo "cob" (deveria ser "cobv").',
        'cobv.loc.id',
      ),
    txidInUse: () => chargeInvalid('O campo txid já foi utilizado em outra cobrança.', 'cobv.txid'),
    chargeNotFound: () =>
      build(
        bacenNotFound('CobVNaoEncontrada', 'Cobrança com vencimento não encontrada para o txid informado.'),
      ),
    chargeNotActive: () =>
      chargeInvalid('A cobrança não está ATIVA, e a presente requisição busca alterá-la', 'cobv.status'),
    revisionUnknown: () =>
      build(
        buildBacenProblem(400, 'CobVConsultaInvalida', {
          title: 'Consulta inválida.',
          detail: QUERY_DETAIL,
          violacoes: [
            {
              razao:
                'O parâmetro revisao corresponde a uma revisão inexistente para a cobrança apontada pelo parâmetro txid.',
              propriedade: 'revisao',
            },
          ],
        }),
      ),
  }
}

/** Builds the Central Bank's own refusals; `build` adds to a problem what a bank's problems have besides. */
export function createBacenRefusals(
  build: (response: SimulatedResponse) => SimulatedResponse = response => response,
): BacenRefusals {
  const invalid = (type: string, title: string, detail: string, violacoes: BacenViolation[]) =>
    build(buildBacenProblem(400, type, { title, detail, violacoes }))
  const invalidCharge = (razao: string, propriedade: string) =>
    invalid('CobOperacaoInvalida', 'Cobrança inválida.', CHARGE_DETAIL, [{ razao, propriedade }])
  const invalidRefund = (violation: BacenViolation) =>
    invalid('PixDevolucaoInvalida', 'Devolução inválida.', REFUND_DETAIL, [violation])
  const invalidWebhook = (razao: string, propriedade: string) =>
    invalid('WebhookOperacaoInvalida', 'Webhook inválido.', WEBHOOK_DETAIL, [{ razao, propriedade }])
  const invalidQuery = (subject: BacenSubject, violacoes: BacenViolation[]) =>
    invalid(QUERY_TYPES[subject], 'Consulta inválida.', QUERY_DETAIL, violacoes)

  return {
    invalidFields: (subject, issues) => {
      const violacoes = issues.map(issue => presentIssue(subject, issue))
      if (issues.some(({ place }) => place === 'query')) return invalidQuery(subject, violacoes)
      const [type, title, detail] = BODY_PROBLEMS[subject]
      return invalid(type, title, detail, violacoes)
    },
    invalidRange: subject =>
      invalidQuery(subject, [
        {
          razao:
            'O timestamp representado pelo parâmetro fim é anterior ao representado pelo parâmetro inicio.',
          propriedade: 'fim',
        },
      ]),
    chargeAmountZero: () => invalidCharge('O campo cob.valor.original é zero.', 'cob.valor.original'),
    keyNotOfAccount: subject =>
      subject === 'cob'
        ? invalidCharge(
            'O campo cob.chave corresponde a uma conta que não pertence a este usuário recebedor.',
            'cob.chave',
          )
        : invalidWebhook(
            'O parâmetro chave não corresponde a uma chave DICT pertencente a este usuário recebedor.',
            'chave',
          ),
    locationUnknown: () => invalidCharge('O location referenciado por loc.id inexiste.', 'cob.loc.id'),
    locationInUse: () =>
      invalidCharge(
        'O location referenciado por loc.id já está sendo utilizado por outra cobrança.',
        'cob.loc.id',
      ),
    locationOfOtherKind: () =>
      invalidCharge(
        'O location referenciado por cob.loc.id apresenta tipo "cobv" (deveria ser "cob").',
        'cob.loc.id',
      ),
    txidInUse: () => invalidCharge('O campo txid já foi utilizado em outra cobrança.', 'cob.txid'),
    chargeNotFound: () =>
      build(bacenNotFound('CobNaoEncontrado', 'Cobrança não encontrada para o txid informado.')),
    chargeNotActive: () =>
      invalidCharge('A cobrança não está ATIVA, e a presente requisição busca alterá-la.', 'cob.status'),
    revisionUnknown: () =>
      invalidQuery('cob', [
        { razao: 'O parâmetro revisao corresponde a uma revisão inexistente.', propriedade: 'revisao' },
      ]),
    pixNotFound: () => build(bacenNotFound('PixNaoEncontrado', 'Pix não encontrado para o e2eid informado.')),
    refundNotFound: () =>
      build(
        bacenNotFound(
          'PixDevolucaoNaoEncontrada',
          'Devolução representada por id não encontrada para o e2eid informado.',
        ),
      ),
    refundIdInUse: () =>
      invalidRefund({
        razao: 'A presente requisição de devolução apresenta um id já utilizado por outra requisição.',
        propriedade: 'pix.devolucao.id',
      }),
    refundAmountZero: () =>
      invalidRefund({ razao: 'O campo devolucao.valor é zero.', propriedade: 'pix.devolucao.valor' }),
    refundInvalid: invalidRefund,
    webhookNotFound: () =>
      build(
        bacenNotFound('WebhookNaoEncontrado', 'O webhook denotado por chave não encontra-se estabelecido.'),
      ),
    webhookUrlInvalid: () =>
      invalidWebhook('Campo webhook.webhookUrl não respeita o schema.', 'webhook.webhookUrl'),
    webhookUrlInsecure: () =>
      invalidWebhook('Campo webhook.webhookUrl deve usar o protocolo HTTPS.', 'webhook.webhookUrl'),
  }
}

const CHARGE_DETAIL =
  'A requisição que busca alterar ou criar uma cobrança para pagamento imediato não respeita o schema ou está semanticamente errada.'
const DUE_CHARGE_DETAIL =
  'A requisição que busca alterar ou criar uma cobrança com vencimento não respeita o schema ou está semanticamente errada.'
const REFUND_DETAIL =
  'A presente requisição de devolução não respeita o schema ou não faz sentido semanticamente.'
const WEBHOOK_DETAIL =
  'A presente requisição busca criar um webhook sem respeitar o schema ou, ainda, com sentido semanticamente inválido.'
export const QUERY_DETAIL =
  'Os parâmetros de consulta não respeitam o schema ou não fazem sentido semanticamente.'

/** Types and texts of the problem of an invalid body. */
export const BODY_PROBLEMS: Record<BacenSubject, [type: string, title: string, detail: string]> = {
  cob: ['CobOperacaoInvalida', 'Cobrança inválida.', CHARGE_DETAIL],
  cobv: ['CobVOperacaoInvalida', 'Cobrança inválida.', DUE_CHARGE_DETAIL],
  pix: ['RequisicaoInvalida', 'Requisição inválida.', 'A requisição possui dados inválidos.'],
  devolucao: ['PixDevolucaoInvalida', 'Devolução inválida.', REFUND_DETAIL],
  webhook: ['WebhookOperacaoInvalida', 'Webhook inválido.', WEBHOOK_DETAIL],
  rec: ['RecOperacaoInvalida', 'Operação inválida.', 'A recorrência não respeita o schema.'],
  solicrec: [
    'SolicRecOperacaoInvalida',
    'Operação inválida.',
    'A solicitação de confirmação de recorrência não respeita o schema.',
  ],
  cobr: ['CobROperacaoInvalida', 'Operação inválida.', 'A cobrança não respeita o schema.'],
  locrec: ['RequisicaoInvalida', 'Requisição inválida.', 'A requisição possui dados inválidos.'],
  webhookrec: ['WebhookRecOperacaoInvalida', 'Webhook inválido.', WEBHOOK_DETAIL],
  webhookcobr: ['WebhookCobROperacaoInvalida', 'Webhook inválido.', WEBHOOK_DETAIL],
}
/** Types of the problem of an invalid query. */
export const QUERY_TYPES: Record<BacenSubject, string> = {
  cob: 'CobConsultaInvalida',
  cobv: 'CobVConsultaInvalida',
  pix: 'PixConsultaInvalida',
  devolucao: 'PixConsultaInvalida',
  webhook: 'WebhookConsultaInvalida',
  rec: 'RecConsultaInvalida',
  solicrec: 'RequisicaoInvalida',
  cobr: 'CobRConsultaInvalida',
  locrec: 'PayloadLocationRecConsultaInvalida',
  webhookrec: 'WebhookRecConsultaInvalida',
  webhookcobr: 'WebhookCobRConsultaInvalida',
}

function presentIssue(subject: BacenSubject, { place, path, message }: FieldIssue): BacenViolation {
  const name = path.join('.')
  const propriedade = place === 'body' ? [subject, ...path].join('.') : name
  const field = place === 'query' ? `O parâmetro ${name}` : `O campo ${propriedade}`
  return { razao: `${field} não respeita o schema: ${message}`, propriedade }
}

/** Adds a correlation id to a problem, as some banks do for their support. */
export function addCorrelationId(response: SimulatedResponse): SimulatedResponse {
  return { ...response, body: { ...(response.body as object), correlationId: randomUUID() } }
}
