import type { ProviderOperation } from '../../faults.ts'
import type { FailureResponses, SimulatedResponse } from '../../provider-calls.ts'
import {
  type BacenViolation,
  bacenAccessDenied,
  bacenUnlistedRefusal,
  buildBacenProblem,
  buildProxyResponse,
} from '../bacen/problems.ts'
import { type BacenRecurrenceRefusals, createBacenRecurrenceRefusals } from '../bacen/recurrence-refusals.ts'
import { type BacenDueRefusals, type BacenRefusals, createBacenDueRefusals } from '../bacen/refusals.ts'

// Efí's errors have two shapes: the Central Bank's problems (RFC 7807) and its own `{nome, mensagem}`. Texts and statuses
// are those of its public documentation (dev.efipay.com.br, "API Pix").

function buildEfiError(status: number, nome: string, mensagem: string, more: object = {}): SimulatedResponse {
  return { status, body: { nome, mensagem, ...more } }
}

export const invalidClient = (): SimulatedResponse => ({
  status: 401,
  headers: { 'WWW-Authenticate': 'Basic realm="Authorization Required"' },
  body: { error: 'invalid_client', error_description: 'Invalid or inactive credentials' },
})
export const invalidToken = (): SimulatedResponse => ({
  status: 401,
  headers: { 'WWW-Authenticate': 'Bearer realm="Users", error="invalid_token"' },
  body: { error: 'invalid_token', error_description: 'Invalid or expired access token' },
})
export const unsupportedGrant = (): SimulatedResponse => ({
  status: 400,
  body: { error: 'unsupported_grant_type', error_description: 'Unsupported grant_type' },
})

export const efiMalformedJson = () => buildEfiError(400, 'json_invalido', 'Payload JSON malformado')
/** Builds the error of invalid fields; `erros` names each, as in answers that users of Efí have published. */
const efiInvalidFields = (erros: { chave: string; caminho: string; mensagem: string }[]) =>
  buildEfiError(400, 'json_invalido', 'Valores ou tipos de campo inválidos', { erros })
export const invalidValue = (mensagem: string) => buildEfiError(400, 'valor_invalido', mensagem)
const invalidRange = () => invalidValue('Campo de data fim deve ser maior ou igual ao campo de data inicio')

const buildChargeProblem = (violation: BacenViolation) =>
  buildBacenProblem(400, 'CobOperacaoInvalida', {
    title: 'Cobrança inválida.',
    detail:
      'A requisição que busca alterar ou criar uma cobrança não respeita o schema ou está semanticamente errada.',
    violacoes: [violation],
  })
// The violations that the Central Bank lists for `loc.id` of a charge (pix-api 2.9.0, "Tratamento de erros").
const buildLocationRefusal = (razao: string) => buildChargeProblem({ razao, propriedade: 'cob.loc.id' })
export const locationNotFound = () =>
  buildEfiError(400, 'location_nao_encontrada', 'Nenhum location encontrado para o identificador informado')
export const keyNotOfAccount = () =>
  buildEfiError(400, 'chave_invalida', 'A chave informada não faz referência à conta Efí autenticada')
const pixNotFound = () =>
  buildEfiError(400, 'pix_nao_encontrado', 'Nenhum pix encontrado para o identificador informado')

/** Efí's refusals in the Central Bank's part of its API. */
export const efiRefusals: BacenRefusals = {
  invalidFields: (_, issues) =>
    efiInvalidFields(
      issues.map(({ place, path, message }) => ({
        chave: path.at(-1) ?? 'body',
        caminho: [`.${place === 'query' ? 'body' : place}`, ...path.slice(0, -1)].join('.'),
        mensagem: message,
      })),
    ),
  invalidRange,
  chargeAmountZero: () =>
    buildChargeProblem({ razao: 'O campo cob.valor.original é zero.', propriedade: 'cob.valor.original' }),
  keyNotOfAccount,
  locationUnknown: () => buildLocationRefusal('O location referenciado por loc.id inexiste.'),
  locationInUse: () =>
    buildLocationRefusal('O location referenciado por loc.id já está sendo utilizado por outra cobrança.'),
  locationOfOtherKind: () =>
    buildLocationRefusal('O location referenciado por cob.loc.id apresenta tipo "cobv" (deveria ser "cob").'),
  txidInUse: () =>
    buildEfiError(409, 'txid_duplicado', 'Campo txid informado já foi utilizado em outra cobrança'),
  chargeNotFound: () =>
    buildEfiError(400, 'cobranca_nao_encontrada', 'Nenhuma cobrança encontrada para o txid informado'),
  chargeNotActive: () =>
    buildEfiError(400, 'status_cobranca_invalido', 'A cobrança não está mais com o status ATIVA'),
  revisionUnknown: () =>
    buildBacenProblem(400, 'CobConsultaInvalida', {
      title: 'Consulta inválida.',
      detail: 'Os parâmetros de consulta não respeitam o schema ou não fazem sentido semanticamente.',
      violacoes: [
        { razao: 'O parâmetro revisao corresponde a uma revisão inexistente.', propriedade: 'revisao' },
      ],
    }),
  pixNotFound,
  refundNotFound: () =>
    buildEfiError(
      400,
      'devolucao_nao_encontrada',
      'Nenhuma devolução encontrada para o identificador informado',
    ),
  refundIdInUse: () =>
    buildEfiError(409, 'devolucao_id_duplicado', 'O id informado já foi utilizado em outra devolução'),
  refundAmountZero: () => invalidValue('Campo valor deve ser maior que zero'),
  refundInvalid: violation =>
    buildBacenProblem(400, 'PixDevolucaoInvalida', {
      title: 'Devolução inválida.',
      detail: 'A requisição de devolução não respeita o schema ou está semanticamente errada.',
      violacoes: [violation],
    }),
  webhookNotFound: () =>
    buildBacenProblem(404, 'WebhookNaoEncontrado', {
      title: 'Não Encontrado',
      detail: 'Webhook não encontrado para a chave informada.',
    }),
  webhookUrlInvalid: () => invalidValue('URL inválida'),
  webhookUrlInsecure: () => invalidValue('A URL do webhook deve usar o protocolo HTTPS'),
}

/**
 * Efí's refusals of charges with a due date. Its SDK has no errors, and its pages of them are not at hand: its own names are those of other
 * charges, and the rules those of the Central Bank's text.
 */
export const efiDueRefusals: BacenDueRefusals = {
  ...createBacenDueRefusals(),
  invalidFields: efiRefusals.invalidFields,
  invalidRange,
  keyNotOfAccount,
  txidInUse: efiRefusals.txidInUse,
  chargeNotFound: efiRefusals.chargeNotFound,
  chargeNotActive: efiRefusals.chargeNotActive,
}

/**
 * Efí's refusals of recurrences and automatic charges. Its SDK has no errors, and its pages of them are not at hand: fields and txids are
 * refused as those of charges, and the rest as in the Central Bank's text.
 */
export const efiRecurrenceRefusals: BacenRecurrenceRefusals = {
  ...createBacenRecurrenceRefusals(),
  invalidFields: efiRefusals.invalidFields,
  invalidRange,
  txidInUse: efiRefusals.txidInUse,
}

export const transferIdInUse = () =>
  buildEfiError(409, 'id_envio_duplicado', 'O id de envio informado já foi utilizado em outro pagamento')
export const keyOwnerMismatch = (which: 'cpf' | 'cnpj') =>
  buildEfiError(
    400,
    'chave_nao_pertence_ao_documento',
    `O ${which} do favorecido é diferente do documento em posse da chave`,
  )
/** Builds the refusal by the rail. Efí documents name and text; `erro` has the shape of its notifications. */
export const paymentDenied = (erro: object) =>
  buildEfiError(422, 'pagamento_negado', 'Pagamento negado por análises', { erro })
/** Refusals of the payment of a code have one name; their `razao` says which it is. */
export const codeRefused = (razao: string, propriedade: 'qrcode.pixCopiaECola' | 'qrcode.pagador') =>
  buildBacenProblem(400, 'QrcodeOperacaoInvalida', {
    title: 'Operação Inválida',
    detail: 'A requisição que busca pagar um qrcode não respeita o schema ou está semanticamente errada.',
    violacoes: [{ razao, propriedade }],
  })
export const sentPixNotFound = (by: 'e2eId' | 'idEnvio') =>
  buildBacenProblem(404, 'PixEnviadoNaoEncontrado', {
    title: 'Não Encontrado',
    detail: `Pix enviado não encontrado para o ${by} informado.`,
  })
export const noSentPix = () =>
  buildBacenProblem(404, 'PixEnviadoNaoEncontrado', {
    title: 'Não Encontrado',
    detail: 'Nenhum Pix enviado encontrado para o período informado.',
  })

export const efiKeyNotFound = () =>
  buildEfiError(400, 'chave_nao_encontrada', 'A chave informada não foi encontrada')
export const efiKeyLimitReached = () =>
  buildEfiError(400, 'limite_criacao_chave_atingido', 'O limite de criação de chaves foi atingido')
/** Builds the answer for a route that does not exist, as users of Efí have published it. */
export const efiRouteNotFound = () => buildEfiError(404, 'nao_encontrado', 'Recurso não encontrado')

/** Builds a problem with a type of Efí's own, as its reports have ("Requisitar Extrato Conciliação"). */
const buildReportProblem = (
  status: number,
  type: string,
  texts: { title: string; detail: string; violacoes?: BacenViolation[] },
): SimulatedResponse => ({
  status,
  body: { type: `https://api-pix.gerencianet.com.br/v2/gn/${type}`, status, ...texts },
})
export const reportQueryInvalid = (violacoes: BacenViolation[]) =>
  buildReportProblem(400, 'ExtratoConciliacaoConsultaInvalida', {
    title: 'Consulta inválida',
    detail: 'Os parâmetros de consulta não respeitam o schema ou não fazem sentido semanticamente',
    violacoes,
  })
export const reportDayNotOver = () =>
  buildReportProblem(400, 'ExtratoConciliacaoConsultaInvalida', {
    title: 'Consulta inválida',
    detail: 'A data do extrato de conciliação deve ser anterior à data corrente',
  })
export const reportNotFound = () =>
  buildReportProblem(404, 'NaoEncontrado', {
    title: 'Não encontrado',
    detail: 'Recurso não encontrado ou não pertence à conta autenticada',
  })

// The pages of receipts and resends document the fields of their refusals and no types: these types imitate others.
export const receiptQueryInvalid = () =>
  buildBacenProblem(400, 'ComprovanteConsultaInvalida', {
    title: 'Consulta inválida',
    detail: 'Exatamente um dos parâmetros e2eid, txid, idEnvio e rtrId deve ser informado.',
  })
export const receiptNotFound = () =>
  buildBacenProblem(404, 'ComprovanteNaoEncontrado', {
    title: 'Não Encontrado',
    detail: 'Comprovante não encontrado para o identificador informado.',
  })
export const resendInvalid = (violacoes: BacenViolation[]) =>
  buildBacenProblem(400, 'ReenvioOperacaoInvalida', {
    title: 'Operação Inválida',
    detail: 'A requisição de reenvio não respeita o schema ou está semanticamente errada.',
    violacoes,
  })

const buildInfractionProblem = (
  status: number,
  type: string,
  { razao, ...texts }: { title: string; detail: string; razao?: string },
) => {
  const violacoes = razao ? [{ razao, propriedade: 'body.infractionId' }] : undefined
  return buildBacenProblem(status, type, { ...texts, ...(violacoes ? { violacoes } : {}) })
}
const buildInvalidDefence = (status: number, razao: string) =>
  buildInfractionProblem(status, 'InfracaoOperacaoInvalida', {
    title: 'Operação Inválida',
    detail:
      'A requisição que busca apresentar uma defesa de infração não respeita o schema ou está semanticamente errada.',
    razao,
  })
export const infractionsQueryInvalid = () =>
  buildInfractionProblem(400, 'InfracoesConsultaInvalida', {
    title: 'Consulta Inválida',
    detail: 'Os parâmetros de consulta não respeitam o schema ou não fazem sentido semanticamente.',
    razao: 'Algum dos parâmetros informados não respeita o schema.',
  })
export const infractionNotFound = () =>
  buildInfractionProblem(404, 'InfracaoNaoEncontrada', {
    title: 'Não Encontrado',
    detail: 'Infração não encontrada.',
  })
export const defenceExists = () => buildInvalidDefence(409, 'A defesa para essa infração já foi criada.')
export const defenceTooLate = () => buildInvalidDefence(422, 'O prazo para defesa foi excedido.')

/** Builds a refusal that is documented for the call: a blocked account, denied access, or a missing scope. */
function buildDocumentedRefusal(operation: ProviderOperation): SimulatedResponse {
  switch (operation) {
    case 'issueCharge':
    case 'sendTransfer':
      return buildEfiError(
        400,
        'documento_bloqueado',
        'O documento desta conta tem bloqueios que impedem a emissão',
      )
    case 'refund':
      return bacenAccessDenied()
    default:
      return {
        status: 403,
        body: { error: 'insufficient_scope', error_description: 'Access token has insufficient scope' },
      }
  }
}

/** Efí's responses for faults. */
export const efiFailures: FailureResponses = {
  documentedRefusal: buildDocumentedRefusal,
  tooManyRequests: () => ({
    ...buildEfiError(
      429,
      'balde_fichas_vazio',
      'Não há fichas disponíveis no balde. Aguarde para tentar novamente.',
    ),
    headers: { 'Retry-After': '1', 'Bucket-Size': '0' },
  }),
  internalError: () => buildEfiError(500, 'erro_aplicacao', 'Ocorreu um erro interno na aplicação'),
  unknownRoute: efiRouteNotFound,
  unlistedRefusals: [
    buildEfiError(400, 'erro_inesperado', 'Ocorreu um erro inesperado. Tente novamente'),
    buildEfiError(409, 'conflito_operacao', 'A operação já está em andamento'),
    buildEfiError(400, 'erro_aplicacao', 'Ocorreu um erro interno na aplicação'),
    bacenUnlistedRefusal(),
    buildProxyResponse(403, '<html><body><h1>403 Forbidden</h1></body></html>'),
    buildProxyResponse(429, 'Too many requests'),
    buildProxyResponse(425, ''),
    buildProxyResponse(404, 'default backend - 404'),
    { status: 401, body: { message: 'Unauthorized' } },
    { status: 499, body: { erro: { codigo: 12, detalhe: ['tempo esgotado'] } } },
  ],
}
