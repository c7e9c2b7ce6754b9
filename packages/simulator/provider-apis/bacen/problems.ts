import { detectContentType, type SimulatedResponse } from '../../provider-calls.ts'

// Problems of the Central Bank's API (pix-api 2.9.0, "Tratamento de erros"), and responses of proxies in front of an API.

export type BacenViolation = { razao: string; propriedade: string; valor?: string }
export type BacenProblemTexts = { title: string; detail: string; violacoes?: BacenViolation[] }

/** Builds a problem (RFC 7807) with a type of the Central Bank. */
export function buildBacenProblem(status: number, type: string, texts: BacenProblemTexts): SimulatedResponse {
  return { status, body: { type: `https://pix.bcb.gov.br/api/v2/error/${type}`, status, ...texts } }
}

export const bacenAccessDenied = () =>
  buildBacenProblem(403, 'AcessoNegado', {
    title: 'Acesso Negado',
    detail: 'Requisição de participante autenticado que viola alguma regra de autorização.',
  })
export const bacenNotFound = (type = 'NaoEncontrado', detail = 'Entidade não encontrada.') =>
  buildBacenProblem(404, type, { title: 'Não Encontrado', detail })
export const bacenServiceUnavailable = () =>
  buildBacenProblem(503, 'ServicoIndisponivel', {
    title: 'Serviço Indisponível',
    detail:
      'Serviço não está disponível no momento. Serviço solicitado pode estar em manutenção ou fora da janela de funcionamento.',
  })

export const bacenInternalError = () =>
  buildBacenProblem(500, 'ErroInternoDoServidor', {
    title: 'Erro interno do servidor.',
    detail: 'Condição inesperada ao processar requisição.',
  })
/** A refusal that no document lists. */
export const bacenUnlistedRefusal = () =>
  buildBacenProblem(422, 'OperacaoNaoConcluida', {
    title: 'Não concluída',
    detail: 'Operação não concluída.',
  })

/** Builds a response of a proxy in front of the API. */
export function buildProxyResponse(status: number, text: string): SimulatedResponse {
  return { status, body: text, headers: { 'content-type': detectContentType(text) } }
}

/** Responses of proxies in front of a bank, which no document lists. */
export const BANK_PROXY_RESPONSES: readonly SimulatedResponse[] = [
  buildProxyResponse(403, '<html><body><h1>403 Forbidden</h1></body></html>'),
  buildProxyResponse(408, ''),
  buildProxyResponse(404, 'default backend - 404'),
  { status: 401, body: { message: 'Unauthorized' } },
]
