import type { FailureResponses, SimulatedResponse } from '../../provider-calls.ts'
import {
  BANK_PROXY_RESPONSES,
  type BacenViolation,
  bacenAccessDenied,
  bacenInternalError,
  bacenNotFound,
  bacenServiceUnavailable,
  bacenUnlistedRefusal,
  buildBacenProblem,
} from '../bacen/problems.ts'
import { type BacenRefusals, createBacenRefusals } from '../bacen/refusals.ts'

// Inter's errors: the Central Bank's problems of its Pix API, and "Banking_Problema" or "EntidadeNaoProcessavel" of its banking
// API (API Inter Empresas).

/** Builds a "Banking_Problema", which has no type and a time. */
function buildBankingProblem(
  status: number,
  title: string,
  detail: string,
  more: object = {},
): SimulatedResponse {
  return { status, body: { title, detail, timestamp: new Date().toISOString(), ...more } }
}

export const invalidData = (...violacoes: BacenViolation[]) =>
  buildBankingProblem(
    400,
    'Dados inválidos.',
    'Verifique se os dados informados estão de acordo com a documentação disponibilizada e tente novamente.',
    { violacoes },
  )
export const notProcessable = (title: string, detail: string) => buildBankingProblem(422, title, detail)
export const bankingNotFound = () => buildBankingProblem(404, 'Não Encontrado.', 'Entidade não encontrada.')
export const bankingAccessDenied = () =>
  buildBankingProblem(
    403,
    'Acesso Negado',
    'Requisição de participante autenticado que viola alguma regra de autorização.',
  )
const notAuthorized = () => buildBankingProblem(401, 'Acesso negado', 'Login/senha inválido.')
export const interMalformedJson = () =>
  invalidData({ razao: 'O corpo da requisição não é um JSON válido.', propriedade: 'body' })
export const interPixMalformedJson = () =>
  buildBacenProblem(400, 'RequisicaoInvalida', {
    title: 'Requisição inválida.',
    detail: 'O corpo da requisição não é um JSON válido.',
  })
export const paceExceeded = () =>
  buildBankingProblem(429, 'Too Many Requests', 'O limite de chamadas por minuto foi excedido.')

const bacenRefusals = createBacenRefusals()
/** Inter documents neither 400 nor 409 where a webhook's key is not the account's. */
export const interRefusals: BacenRefusals = {
  ...bacenRefusals,
  keyNotOfAccount: subject =>
    subject === 'cob' ? bacenRefusals.keyNotOfAccount(subject) : bacenNotFound('NaoEncontrado'),
}

/** Refusals of tokens, and of calls by them. */
export const interTokenRefusals = {
  invalidClient: bankingAccessDenied,
  certificateMissing: bankingAccessDenied,
  unsupportedGrant: () => invalidData({ razao: 'Valor não suportado.', propriedade: 'grant_type' }),
  invalidScope: (scope: string) =>
    invalidData({ razao: `Escopo não cadastrado: ${scope}`, propriedade: 'scope' }),
  invalidToken: notAuthorized,
  scopeMissing: bankingAccessDenied,
}

/** Inter's responses for faults. */
export const interFailures: FailureResponses = {
  // With a cause at Inter, or in the permissions of the client.
  documentedRefusal: operation =>
    operation === 'sendTransfer'
      ? notProcessable('Não foi possível concluir o pagamento', 'Limite diário de Pix excedido.')
      : bankingAccessDenied(),
  tooManyRequests: paceExceeded,
  internalError: () =>
    buildBankingProblem(
      500,
      'Serviço Indisponível',
      'Serviço não está disponível no momento. Serviço solicitado pode estar em manutenção ou fora da janela de funcionamento.',
    ),
  otherCertificate: notAuthorized,
  unknownRoute: () => ({ status: 404, body: { message: 'no Route matched with those values' } }),
  unlistedRefusals: [
    buildBankingProblem(409, 'Ocorreu um erro!', 'Algo deu errado! Nós já estamos resolvendo isso.'),
    buildBankingProblem(406, 'Ocorreu um erro!', 'Requisição não aceita.'),
    { ...bacenServiceUnavailable(), status: 400 },
    bacenUnlistedRefusal(),
    { status: 400, body: { codigo: 51001, mensagem: 'Erro interno do servidor' } },
    ...BANK_PROXY_RESPONSES,
  ],
}
/** Responses for faults of the Pix API, which has the Central Bank's problems. */
export const interPixFailures: FailureResponses = {
  ...interFailures,
  documentedRefusal: bacenAccessDenied,
  internalError: bacenInternalError,
}
