/** Time zone of shown times: Brazil's banks use the time of Brasília. */
export const TIME_ZONE = 'America/Sao_Paulo'
