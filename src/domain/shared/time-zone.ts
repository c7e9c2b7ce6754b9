/** Time zone of a new account, and of operators' pages: Brazil's banks use the time of Brasília. */
export const DEFAULT_TIME_ZONE = 'America/Sao_Paulo'

/** Time zones of Brazil, by the share of its people. */
const BRAZILIAN_TIME_ZONES = [
  DEFAULT_TIME_ZONE,
  'America/Fortaleza',
  'America/Recife',
  'America/Bahia',
  'America/Belem',
  'America/Maceio',
  'America/Araguaina',
  'America/Manaus',
  'America/Cuiaba',
  'America/Campo_Grande',
  'America/Porto_Velho',
  'America/Boa_Vista',
  'America/Santarem',
  'America/Rio_Branco',
  'America/Eirunepe',
  'America/Noronha',
]

/** Names of places that differ from the name of the zone. */
const PLACE_NAMES: Record<string, string> = {
  [DEFAULT_TIME_ZONE]: 'Brasília',
  'America/Belem': 'Belém',
  'America/Maceio': 'Maceió',
  'America/Araguaina': 'Araguaína',
  'America/Cuiaba': 'Cuiabá',
  'America/Santarem': 'Santarém',
  'America/Eirunepe': 'Eirunepé',
  'America/Noronha': 'Fernando de Noronha',
}

/** Time zones that an account may have, by the names of the IANA database: those of Brazil, and all others. */
export const ACCOUNT_TIME_ZONES = {
  brazil: BRAZILIAN_TIME_ZONES,
  others: ['UTC', ...Intl.supportedValuesOf('timeZone').filter(name => !BRAZILIAN_TIME_ZONES.includes(name))],
}

/** Tests whether an account may have a time zone. */
export function isAccountTimeZone(name: string): boolean {
  return ACCOUNT_TIME_ZONES.brazil.includes(name) || ACCOUNT_TIME_ZONES.others.includes(name)
}

/** Names the place whose clocks a time zone is named by: `Brasília`, `New York`. */
export function placeOfTimeZone(name: string): string {
  return PLACE_NAMES[name] ?? name.slice(name.lastIndexOf('/') + 1).replaceAll('_', ' ')
}
