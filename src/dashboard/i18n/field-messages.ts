import type { Language } from './translator.ts'

/** Translates a field error of the API to the page's language. English is the API's own language. */
export function translateFieldMessage(language: Language, message: string): string {
  if (language === 'en') return message
  const translation = PORTUGUESE_FIELD_MESSAGES.find(([english]) => english.test(message))
  return translation ? message.replace(translation[0], translation[1]) : message
}

/** Portuguese patterns; numbers and names stay unchanged: `$1` is the first of them. */
const PORTUGUESE_FIELD_MESSAGES = Object.entries({
  'is required': 'é obrigatório',
  'must be the value of the entry': 'precisa ser o valor do lançamento',
  'is required for (.+)': 'é obrigatório para $1',
  'is required when the outcome is settled': 'é obrigatório quando o resultado é liquidado',
  'is allowed only when the outcome is settled': 'só é permitido quando o resultado é liquidado',
  'is not a known field': 'não é um campo conhecido',
  'is too long': 'é longo demais',
  'must not be empty': 'não pode ficar vazio',
  'must be a number': 'precisa ser um número',
  'must be 1, true, 0 or false': 'precisa ser sim ou não',
  'must be sent once': 'só pode ser enviado uma vez',
  'must not be repeated': 'não pode ser repetido',
  'must select at most (\\d+) lines': 'precisa selecionar no máximo $1 linhas',
  'must be of the mode of the token': 'precisa ser do ambiente do token',
  'must not contain NUL characters or broken surrogate pairs': 'contém caracteres não permitidos',
  'must be at most (\\d+) characters': 'pode ter no máximo $1 caracteres',
  'must be 1 to 255 printable ASCII characters': 'precisa ter de 1 a 255 caracteres ASCII visíveis',
  'must be at least 0\\.01': 'precisa ser de ao menos R$ 0,01',
  'must be an amount in reais from 0 to 9999999999\\.99 with at most two decimals':
    'precisa ser um valor em reais, de 0 a 9.999.999.999,99, com até duas casas decimais',
  'must be an amount in reais, as in 1234\\.56 or 1234,56':
    'precisa ser um valor em reais, como 1234,56 ou 1.234,56',
  'must be a date from 0001-01-01 on': 'precisa ser uma data a partir de 01/01/0001',
  'must be a time from 0001-01-01 on': 'precisa ser uma data e hora a partir de 01/01/0001',
  'must be in the future, at most 90 days ahead': 'precisa estar no futuro, em até 90 dias',
  'must not be in the future': 'não pode estar no futuro',
  'must be a valid CPF \\(11 digits\\) or CNPJ \\(14 characters\\)':
    'precisa ser um CPF (11 dígitos) ou CNPJ (14 caracteres) válido',
  'must be a CPF, a CNPJ, an e-mail, a Brazilian mobile number with \\+55, or a random key':
    'precisa ser um CPF, um CNPJ, um e-mail, um celular com +55 ou uma chave aleatória',
  'must be an e-mail address of at most 77 characters':
    'precisa ser um endereço de e-mail de até 77 caracteres',
  'must be a Brazilian mobile with its country code: \\+55, area code, 9 and eight digits':
    'precisa ser um celular com código do país: +55, DDD, 9 e oito dígitos',
  'must be 6 digits': 'precisa ter 6 dígitos',
  'is not a code of this account': 'não é um código desta conta',
  'belongs to a code for (.+), not for (.+)': 'é de um código para $1, não para $2',
  'was already used: a code is valid for one key': 'já foi usado: cada código vale para uma chave',
  'has expired: a code is valid for 10 minutes': 'expirou: um código vale por 10 minutos',
  'has too many wrong attempts: request another code': 'teve tentativas demais: solicite outro código',
  'is wrong: request another code': 'não confere: solicite outro código',
  'is wrong: (\\d+) attempts? left': 'não confere; tentativas restantes: $1',
  '(\\w+) does not support (\\w+) keys for this account; it supports (.+)':
    '$1 não aceita chaves $2 nesta conta; aceita $3',
  'must be a NOMINAL provider: (\\w+) is a POOL, whose account is the service.s':
    'precisa ser um provedor NOMINAL: $1 é uma conta compartilhada (POOL)',
  'must be an existing account': 'precisa ser uma conta existente',
  'must be an existing connection': 'precisa ser uma conexão existente',
  "must not be the charge's own account": 'não pode ser a conta da própria cobrança',
  'the provider of this token is not active': 'o provedor deste token não está ativo',
  'must be an active provider of the account': 'precisa ser um provedor ativo da conta',
  'must name 1 to 10 providers': 'precisa ter de 1 a 10 provedores',
  'no active default provider; name one, or set the defaults':
    'nenhum provedor da ordem está ativo; escolha um provedor ou altere a ordem',
  'must not exceed 9999999999.99 together with its fee':
    'com a tarifa não pode passar de R$ 9.999.999.999,99',
  'is required: no provider of this charge supports an open value':
    'nenhum provedor desta cobrança aceita valor em aberto',
  'cannot be checked: no provider of this transfer checks the holder of the key':
    'não pode ser conferido: nenhum provedor desta transferência confere o titular da chave',
  'must not exceed what is still refundable of the charge':
    'não pode passar do que ainda pode ser devolvido da cobrança',
  'a percentage may not exceed 100': 'uma porcentagem não pode passar de 100',
  'the percentages together may not exceed 100': 'as porcentagens juntas não podem passar de 100',
  'this recipient already has a split of this type': 'este recebedor já tem uma divisão deste tipo',
  'a charge with an open value takes PERCENTAGE splits only':
    'uma cobrança de valor em aberto só aceita divisões por PERCENTAGE',
  'the splits together may not exceed the value of the charge':
    'as divisões juntas não podem passar do valor da cobrança',
  'must be an https URL': 'precisa ser um endereço https',
  'The URL is not well formed\\.': 'o endereço não está em formato válido',
  'The URL must start with https://\\.': 'o endereço precisa começar com https://',
  'The URL must not be longer than (\\d+) characters\\.': 'o endereço pode ter no máximo $1 caracteres',
  'The URL must not contain a user name or password\\.': 'o endereço não pode conter usuário nem senha',
  'The URL must not contain a fragment\\.': 'o endereço não pode conter um fragmento (#)',
  'The host of the URL does not resolve\\.': 'o nome do endereço não existe no DNS',
  'Every address of the host of the URL must be public\\.': 'todos os IPs do endereço precisam ser públicos',
  'must name at least one event': 'precisa ter ao menos um evento',
  'must not be empty, and after whsec_ must be proper base64':
    'não pode ficar vazio e, depois de whsec_, precisa ser base64',
  'must differ from the token it replaces': 'precisa ser diferente do segredo que substitui',
  'must be a file': 'precisa ser um arquivo',
  'must be at most 10 MiB': 'pode ter no máximo 10 MiB',
  'must not be sent: at most (\\d+) files': 'não pode ser enviado: no máximo $1 arquivos',
  'must not have more than (\\d+) fields': 'não pode ter mais de $1 campos',
  'must give a reason': 'precisa informar o motivo',
  'must not be in the past': 'não pode estar no passado',
  'No TLS connection to the URL could be made: (.+)\\.': 'não foi possível uma conexão TLS ao endereço: $1',
  // Reasons of a disabled webhook.
  'the endpoint answered 410 Gone': 'o endereço respondeu 410 Gone',
  'no success for five days': 'nenhum sucesso em cinco dias',
  'disabled by the account': 'desativado pela conta',
  unknown: 'motivo desconhecido',
  // Messages of zod itself.
  'Invalid (?:GUID|UUID)': 'precisa ser um identificador (UUID)',
  'Invalid ISO date': 'precisa ser uma data válida',
  'Invalid ISO datetime': 'precisa ser uma data e hora (ISO 8601, em UTC)',
  'Invalid option: expected one of (.+)': 'precisa ser um destes valores: $1',
  'Invalid string: must match pattern (.+)': 'não está no formato esperado: $1',
  'Invalid input: expected (?:number|int), received .+': 'precisa ser um número inteiro',
  'Invalid input: expected string, received .+': 'precisa ser um texto',
  'Invalid input: expected boolean, received .+': 'precisa ser sim ou não',
  'Invalid input: expected array, received .+': 'precisa ser uma lista',
  'Invalid input: expected (?:object|record), received .+': 'precisa ser um objeto',
  'Invalid input: expected (".+")': 'precisa ser $1',
  'Invalid input': 'não é válido',
  'Too small: expected string to have >=1 characters': 'não pode ficar vazio',
  'Too small: expected string to have >=(\\d+) characters': 'precisa ter ao menos $1 caracteres',
  'Too big: expected string to have <=(\\d+) characters': 'pode ter no máximo $1 caracteres',
  'Too small: expected array to have >=(\\d+) items': 'precisa ter ao menos $1',
  'Too big: expected array to have <=(\\d+) items': 'pode ter no máximo $1',
  'Too small: expected \\w+ to be >=?(-?[\\d.]+)': 'precisa ser ao menos $1',
  'Too big: expected \\w+ to be <=?(-?[\\d.]+)': 'pode ser no máximo $1',
  'must be a PDF, PNG, JPEG or WebP by its content': 'precisa ser um PDF, PNG, JPEG ou WebP pelo conteúdo',
}).map(([english, portuguese]) => [new RegExp(`^${english}$`), portuguese] as const)
