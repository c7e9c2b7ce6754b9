import type { ErrorCode } from '../../src/domain/errors/error-catalogue.ts'
import type { Phrase } from './state-guidance.ts'

/** What a client does after an error; `dashboard` codes are not answered to API clients. */
export type ErrorAction = 'correct' | 'read' | 'repeat' | 'decide' | 'state' | 'access' | 'dashboard'

/** Groups of the page, in its order. */
export const ERROR_ACTIONS: Record<Exclude<ErrorAction, 'dashboard'>, Phrase> = {
  correct: { en: 'Correct the request', pt: 'Corrija a requisição' },
  read: { en: 'Read the resource, or wait for its event', pt: 'Leia o recurso ou espere o evento' },
  repeat: {
    en: 'Wait, and repeat with the same Idempotency-Key',
    pt: 'Espere e repita com a mesma Idempotency-Key',
  },
  decide: {
    en: 'It has failed: decide, and use a new Idempotency-Key',
    pt: 'Falhou: decida e use outra Idempotency-Key',
  },
  state: { en: 'The resource does not allow it now', pt: 'O recurso não permite isso agora' },
  access: { en: 'Another token, or the operator', pt: 'Outro token, ou o operador' },
}

type ErrorOfGuide = {
  action: ErrorAction
  /** The Portuguese form of ERROR_GUIDANCE. */
  pt: string
}

/** The group of each code, and its guidance in Portuguese. A code without an entry does not compile. */
export const ERRORS_OF_GUIDE: Record<ErrorCode, ErrorOfGuide> = {
  malformed_request: {
    action: 'correct',
    pt: 'Não é HTTP válido, os cabeçalhos se contradizem, ou há nenhum ou vários cabeçalhos Host, o que `errors` indica. Use uma biblioteca HTTP.',
  },
  malformed_json: {
    action: 'correct',
    pt: 'O corpo não é JSON, está incompleto ou contém um campo duas vezes, que `errors` indica. Corrija e envie de novo.',
  },
  malformed_multipart: {
    action: 'correct',
    pt: 'O formulário da resposta a uma contestação não pôde ser lido. Use uma biblioteca HTTP para montá-lo.',
  },
  provider_rejected: {
    action: 'decide',
    pt: 'Todos os provedores chamados recusaram; nenhum dinheiro se moveu. `data.error` traz o motivo.',
  },
  unauthenticated: {
    action: 'access',
    pt: 'Falta o cabeçalho `Authorization`, o token é desconhecido, foi revogado ou expirou.',
  },
  sign_in_refused: { action: 'dashboard', pt: '' },
  code_refused: { action: 'dashboard', pt: '' },
  last_owner: { action: 'dashboard', pt: '' },
  totp_already_enabled: { action: 'dashboard', pt: '' },
  user_limit: { action: 'dashboard', pt: '' },
  account_blocked: {
    action: 'access',
    pt: 'O operador bloqueou a conta: cobranças, transferências, devoluções e chaves Pix são recusadas e nada começou. Com `data`, a conta foi bloqueada depois do pedido: a transferência está FAILED e nenhum provedor foi chamado. Fale com o operador.',
  },
  form_expired: { action: 'dashboard', pt: '' },
  token_bound_to_provider: {
    action: 'access',
    pt: 'A operação vale para a conta inteira e o token é de um só provedor. Use um token sem provedor.',
  },
  insufficient_scope: {
    action: 'access',
    pt: 'O token não tem o escopo da operação. `data.scopes` lista os escopos que a permitem; basta um. Use outro token ou mude os escopos deste.',
  },
  address_not_allowed: {
    action: 'access',
    pt: 'O token só vale a partir dos endereços IP da lista dele, e a requisição veio de outro. Chame de um endereço da lista ou mude a lista.',
  },
  second_operator_needed: { action: 'dashboard', pt: '' },
  approver_is_maker: {
    action: 'access',
    pt: 'Quem ordenou não aprova nem rejeita, por nenhum caminho: token, painel ou linha de comando. Outra pessoa decide.',
  },
  approver_not_allowed: {
    action: 'access',
    pt: 'Por trás do token não há pessoa que possa enviar dinheiro: nenhum usuário o criou, ou esse usuário foi removido ou tem outro papel.',
  },
  role_not_allowed: { action: 'dashboard', pt: '' },
  link_expired: {
    action: 'read',
    pt: 'O link do anexo expirou ou foi alterado. Leia a contestação para ter outro.',
  },
  not_found: {
    action: 'access',
    pt: 'O caminho ou o recurso não existe, o id não é um UUID, ou o token não tem acesso. Confira o caminho e o token.',
  },
  key_not_registered: {
    action: 'correct',
    pt: 'Nenhuma conta tem essa chave. A mesma chave não é consultada de novo por dez minutos. Peça a chave certa ao recebedor.',
  },
  method_not_allowed: {
    action: 'correct',
    pt: 'O caminho existe, mas não para esse método. Veja o cabeçalho `Allow`.',
  },
  request_timeout: {
    action: 'repeat',
    pt: 'A requisição não chegou inteira a tempo e não foi processada. Envie de novo.',
  },
  already_settled: { action: 'dashboard', pt: '' },
  act_stale: { action: 'dashboard', pt: '' },
  charge_not_cancellable: {
    action: 'state',
    pt: 'A cobrança já foi paga, expirou ou foi cancelada, talvez por uma requisição sua que ficou sem resposta. Leia o `status`.',
  },
  charge_not_refundable: {
    action: 'state',
    pt: 'A cobrança nunca foi paga, ou já foi devolvida por inteiro. Leia o `status`.',
  },
  receipt_not_ready: {
    action: 'read',
    pt: 'O dinheiro da cobrança, da transferência ou da devolução não foi liquidado: está a caminho, ou não se moveu. Espere o evento e leia o comprovante.',
  },
  charge_not_retryable: {
    action: 'state',
    pt: 'A recorrência não permite outra tentativa de débito, ou não agora; `data.reason` diz por quê.',
  },
  recurrence_not_active: { action: 'state', pt: 'Só uma recorrência ACTIVE é cobrada.' },
  cycle_already_charged: { action: 'state', pt: 'O ciclo desse dia já tem uma cobrança.' },
  recurrence_not_cancellable: {
    action: 'state',
    pt: 'Só uma recorrência PENDING, PROCESSING ou ACTIVE pode ser cancelada.',
  },
  charge_not_revisable: {
    action: 'state',
    pt: 'A cobrança não tem vencimento, o provedor não altera cobranças, ou ela está sendo paga ou já terminou. Leia a cobrança; para outros termos, cancele e crie outra.',
  },
  revision_in_progress: {
    action: 'state',
    pt: 'Uma alteração anterior foi enviada ao provedor e ainda não tem resposta. Espere o Retry-After, leia a cobrança e envie a alteração que ainda faltar.',
  },
  refund_in_progress: {
    action: 'state',
    pt: 'Outra devolução dessa cobrança está em andamento. Espere o evento REFUND e devolva o que restar.',
  },
  refund_med_open: {
    action: 'state',
    pt: 'O valor está bloqueado por uma contestação aberta. Espere o evento MED que a encerra; aceitar a contestação também devolve o dinheiro.',
  },
  refund_period_over: {
    action: 'state',
    pt: 'O Pix só devolve um pagamento em até 90 dias. Depois disso, pague com uma transferência.',
  },
  deposit_not_returnable: {
    action: 'state',
    pt: 'O depósito, ou parte dele, já foi devolvido, a instituição recusou a devolução, ou um operador decide (`return.status` REVIEW). Leia o depósito.',
  },
  return_in_progress: {
    action: 'state',
    pt: 'O depósito já está sendo devolvido. Leia o depósito, ou espere o evento PIX_TRANSACTION da devolução.',
  },
  return_med_open: {
    action: 'state',
    pt: 'O valor está bloqueado por uma contestação aberta. Espere o evento MED que a encerra; aceitar a contestação também devolve o dinheiro.',
  },
  return_period_over: {
    action: 'state',
    pt: 'O Pix só devolve um pagamento em até 90 dias.',
  },
  deposit_not_assignable: {
    action: 'state',
    pt: 'Leia o depósito: `charge_uuid` é a cobrança que ele paga. O que foi devolvido em parte, ou teve a devolução pedida, continua depósito; o contestado pode ser associado depois que a contestação termina.',
  },
  qr_code_does_not_fit: {
    action: 'state',
    pt: 'Escolha um código ativo da chave que recebeu o depósito, de valor aberto ou do mesmo valor, ou o código de uma cobrança PENDING que esse pagador pode pagar.',
  },
  deposit_spent: {
    action: 'state',
    pt: 'O dinheiro do depósito já foi gasto. Associe o depósito quando o saldo nessa instituição cobrir a tarifa e os repasses.',
  },
  med_already_answered: {
    action: 'state',
    pt: 'Cada contestação aceita uma resposta. Leia a contestação para ver a sua.',
  },
  med_not_answerable: {
    action: 'state',
    pt: 'A contestação não está mais PENDING, ou é sobre uma transferência sua. Não precisa de resposta.',
  },
  med_already_asked: {
    action: 'state',
    pt: 'A transferência já tem uma contestação, de um pedido anterior ou do painel do provedor; uma cancelada também conta. Liste as contestações com `med_type=REQUESTED_MED`.',
  },
  med_period_over: {
    action: 'state',
    pt: 'O Pix permite contestar em até 80 dias da liquidação. Por este caminho nada mais pode ser pedido.',
  },
  med_not_contestable: {
    action: 'state',
    pt: 'Nada foi devolvido por esta contestação, ela é sobre uma transferência sua, ou a devolução já foi contestada. Leia a contestação.',
  },
  contest_period_over: {
    action: 'state',
    pt: 'O Pix permite contestar uma devolução por 80 dias. `contestable_until` diz até quando.',
  },
  transfer_not_disputable: {
    action: 'state',
    pt: 'A transferência não foi liquidada, falhou ou voltou por inteiro. Leia a transferência.',
  },
  med_not_cancellable: {
    action: 'state',
    pt: 'A contestação terminou, é de um pagamento recebido, ou o provedor ainda não aceitou o pedido ou recusa cancelar. Leia a contestação.',
  },
  insufficient_balance: {
    action: 'state',
    pt: 'O saldo disponível no provedor da cobrança não cobre a devolução e a tarifa. Espere entradas ou devolva menos.',
  },
  batch_not_cancellable: {
    action: 'state',
    pt: 'O lote já está COMPLETED ou CANCELLED. Leia o `status`: CANCELLED pode vir de uma requisição sua que ficou sem resposta.',
  },
  transfer_not_cancellable: {
    action: 'state',
    pt: 'A transferência não era agendada, ou já foi enviada, cancelada ou falhou. O que foi enviado não se cancela. Leia o `status`: CANCELLED pode vir de uma requisição sua que ficou sem resposta.',
  },
  external_ref_in_use: {
    action: 'state',
    pt: 'A conta exige `external_ref` única. Procure a transferência que já a usa antes de enviar outra.',
  },
  over_limit: {
    action: 'decide',
    pt: 'A transferência ou devolução passa de um limite da conta, e nenhum provedor foi chamado. Em `data`, `error` traz o `limit`, o que restava (`left`) e quando ele se renova (`resets_at`). Envie menos, ou mais tarde, com outra chave.',
  },
  possible_duplicate: {
    action: 'decide',
    pt: 'O mesmo valor foi pedido para a mesma chave dentro dos segundos de `duplicate_guard`; `data.error.transfer_uuid` é aquela transferência. Se as duas são intencionais, envie com `allow_duplicate` e outra chave.',
  },
  not_waiting_for_approval: {
    action: 'state',
    pt: 'Não espera aprovação: já foi aprovada, rejeitada ou cancelada, ou o prazo acabou. Leia o `status`.',
  },
  limits_changed: {
    action: 'read',
    pt: 'Os limites foram alterados depois da leitura, ou desde que a transferência espera, e não a permitem mais. Nada foi feito. Leia de novo e decida.',
  },
  not_found_after_restore: {
    action: 'decide',
    pt: 'O serviço foi restaurado de um backup e nenhum provedor tem a operação. Ela está FAILED e não será executada.',
  },
  resend_in_progress: {
    action: 'state',
    pt: 'A tentativa está em andamento ou prevista para menos de um minuto. Leia a entrega em `GET …/deliveries`.',
  },
  recovery_in_progress: {
    action: 'state',
    pt: 'Uma recuperação deste webhook está em andamento. Repita quando ela terminar, se ainda faltarem eventos.',
  },
  webhook_disabled: {
    action: 'state',
    pt: 'O endpoint foi desativado (410, cinco dias sem sucesso, ou por você). Corrija-o, ative com `PATCH` e repita.',
  },
  lookup_not_supported: {
    action: 'correct',
    pt: 'O provedor da requisição, o do token, ou nenhum dos padrões consulta chaves de terceiros. Informe outro ou transfira sem consulta.',
  },
  too_many_lookups: {
    action: 'repeat',
    pt: 'Um token consulta trinta chaves em 60 segundos, e uma conta 3.000 por dia de Brasília, repetições incluídas. Espere `Retry-After`.',
  },
  lookup_budget_low: {
    action: 'repeat',
    pt: 'O provedor dá a cada conta um número de consultas, e uma chave que não existe gasta vinte. `GET /providers/{uuid}` mostra o saldo. Espere `Retry-After`.',
  },
  pix_key_already_registered: {
    action: 'state',
    pt: 'A chave já está registrada nesta conta, em outra conta ou em outro banco. Portabilidade e reivindicação não fazem parte desta API.',
  },
  key_in_use: {
    action: 'state',
    pt: 'Um provedor recebe cobranças com essa chave, ou há cobrança aberta ou QR Code ativo para ela. Espere essas cobranças terminarem e desative os QR Codes.',
  },
  reference_in_use: {
    action: 'correct',
    pt: 'Outro QR Code desse provedor já usa a referência, que é o txid dos Pix dele; um QR Code desativado mantém a sua. Use outra, ou nenhuma.',
  },
  payment_link_exists: {
    action: 'state',
    pt: 'A cobrança já tem um link que funciona: `GET /payment-links?charge_uuid=` o mostra. Use esse, ou revogue-o e crie outro.',
  },
  report_limit: { action: 'state', pt: 'A conta tem 20 relatórios PENDING. Espere um deles ou apague um.' },
  report_not_ready: {
    action: 'state',
    pt: 'O relatório está PENDING, FAILED ou EXPIRED e por isso não tem arquivo. Leia-o: depois de PENDING baixe de novo; senão peça outro.',
  },
  webhook_limit: { action: 'state', pt: 'A conta já tem 20 webhooks. Apague um que não usa.' },
  body_too_large: { action: 'correct', pt: 'O corpo JSON passa de 100 kB. Envie um menor.' },
  batch_too_large: {
    action: 'correct',
    pt: 'O lote passa de 5 MB, em JSON ou CSV. Divida os itens em vários lotes, cada um com a sua Idempotency-Key.',
  },
  upload_too_large: {
    action: 'correct',
    pt: 'Os arquivos juntos passam do limite. Envie menos arquivos, ou menores.',
  },
  unsupported_media_type: {
    action: 'correct',
    pt: 'O tipo de conteúdo não é o da operação, ou o corpo está comprimido. Envie `application/json` (respostas a contestações: `multipart/form-data`).',
  },
  expectation_failed: {
    action: 'correct',
    pt: 'O cabeçalho `Expect` é diferente de `100-continue`; a requisição não foi processada. Retire o cabeçalho.',
  },
  validation_failed: {
    action: 'correct',
    pt: '`errors` lista cada campo inválido. Corrija todos: nada foi guardado, e a mesma Idempotency-Key pode ser usada.',
  },
  idempotency_key_reused: {
    action: 'correct',
    pt: 'A chave é de outra requisição: o corpo ou o provedor do token é outro. Use outra chave para outra operação.',
  },
  qr_invalid: {
    action: 'correct',
    pt: 'O código PIX está quebrado, ou sua localização não mostra uma cobrança assinada que possa ser paga; `errors.payload` diz o que está errado. Peça outro código ao recebedor.',
  },
  qr_unreadable: {
    action: 'repeat',
    pt: 'O banco que mostra a cobrança do código PIX não respondeu a tempo. Nada se sabe do código. Repita a requisição depois de `Retry-After`.',
  },
  qr_value_mismatch: {
    action: 'correct',
    pt: 'O código tem um valor próprio, e `value` é outro. Nada começou. `value` só é preciso quando o pagador escolhe.',
  },
  pix_key_limit: { action: 'state', pt: 'A conta já tem 3 chaves desse tipo. Apague uma antes.' },
  dispute_not_supported: {
    action: 'correct',
    pt: 'A API do provedor que enviou a transferência não recebe pedidos de devolução. Peça lá: no aplicativo, no painel ou ao suporte.',
  },
  key_not_supported: {
    action: 'correct',
    pt: 'O provedor não registra chaves desse tipo. Use outro `type` ou outro `provider_uuid`.',
  },
  too_many_attempts: {
    action: 'repeat',
    pt: 'A conta pediu três chaves em 60 segundos (as recusadas contam) ou cinco códigos em 60 segundos, ou cinco códigos foram enviados ao endereço em uma hora. Espere o `Retry-After`.',
  },
  rate_limited: {
    action: 'repeat',
    pt: 'O token usou todas as suas requisições; veja `RateLimit` e `RateLimit-Policy`. Espere o `Retry-After`.',
  },
  too_many_sign_ins: { action: 'dashboard', pt: '' },
  headers_too_large: {
    action: 'correct',
    pt: 'O endereço ou um cabeçalho é longo demais. Use menos filtros.',
  },
  internal_error: {
    action: 'repeat',
    pt: 'Uma falha do serviço, registrada no log. Repita com a mesma Idempotency-Key e informe o `request_id`.',
  },
  receiver_changed: {
    action: 'decide',
    pt: 'O dono da chave não é mais o de `lookup_uuid`. Consulte a chave de novo e decida. Com `data`, o provedor informou o outro dono antes do envio, e a transferência está FAILED.',
  },
  receiver_mismatch: {
    action: 'correct',
    pt: 'O documento da requisição, ou documento ou nome da consulta, não é do dono da chave. Nada começou. Confira quem recebe; `on_mismatch` WARN envia assim mesmo.',
  },
  qr_not_payable: {
    action: 'decide',
    pt: '`data.reason`: pelo banco do recebedor o código está PAID, REMOVED, EXPIRED ou TOO_EARLY; pede uma recorrência (RECURRENCE, COMPOSITE); ou sua KEY não é uma chave Pix. Nada começou. Peça outro código ao recebedor.',
  },
  qr_changed: {
    action: 'decide',
    pt: '`data.changed` diz o que não está como `read_uuid` mostrou: `receiver`, `value` ou `txid`. Nada começou. Leia o código de novo e decida.',
  },
  key_blocked_for_fraud: {
    action: 'decide',
    pt: 'O DICT marcou a chave por fraude: a consulta não mostra o dono e nenhum provedor paga. Com `data`, o provedor recusou a transferência, que está FAILED. Use outra chave.',
  },
  not_started: {
    action: 'decide',
    pt: 'A operação não foi aceita a tempo. Está FAILED, nenhum provedor foi chamado e ela não será executada.',
  },
  unavailable: {
    action: 'repeat',
    pt: 'O banco de dados, o Temporal ou os arquivos estão fora do ar; esta requisição não começou nada. Espere o `Retry-After` e repita com a mesma Idempotency-Key.',
  },
  overloaded: {
    action: 'repeat',
    pt: 'Há mais operações em andamento do que o serviço conclui a tempo; esta requisição não começou nada. Espere o `Retry-After` e repita com a mesma Idempotency-Key.',
  },
  paused: {
    action: 'repeat',
    pt: 'O operador pausou o serviço, a conta ou o provedor; o que já corre continua. Espere o `Retry-After`.',
  },
  not_confirmed: {
    action: 'read',
    pt: 'A operação pode ter começado e o resultado não veio a tempo. Leia `data.uuid` (os provedores padrão do pedido: `data.PIX`) ou repita com a mesma Idempotency-Key; nunca com outra.',
  },
  issuing: {
    action: 'read',
    pt: 'Nenhum provedor emitiu a cobrança em 5 s, e o serviço continua tentando. Leia `data.uuid`.',
  },
  no_provider_available: {
    action: 'decide',
    pt: 'Nenhum provedor respondeu; nenhum dinheiro se moveu. Espere o `Retry-After` e faça uma nova requisição.',
  },
  code_undeliverable: {
    action: 'access',
    pt: 'O serviço não envia códigos para esse tipo de chave. Use outro tipo, ou fale com o operador.',
  },
  pix_key_unknown: {
    action: 'read',
    pt: 'O provedor recebeu o pedido e não respondeu. Liste as chaves ou repita com a mesma Idempotency-Key.',
  },
  revision_unknown: {
    action: 'repeat',
    pt: 'O provedor recebeu a alteração e não respondeu. Até haver resultado, a cobrança pede o que pedia antes. Repita com a mesma chave ou leia a cobrança: `revision` conta as alterações aceitas.',
  },
  cancellation_unknown: {
    action: 'read',
    pt: 'O provedor recebeu o cancelamento e não respondeu. A cobrança fica PENDING até haver resultado. Espere o evento CANCELLED ou cancele de novo; se vier 409, leia o `status`.',
  },
}
