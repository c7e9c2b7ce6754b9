import { z } from 'zod'
import { banksQuery, listedBankSchema } from '../../contract/banks/bank.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { searchBanks } from '../operations/banks.ts'

export const bankRoutes: RouteRegistrar = router => {
  registerRoute(router, 'get', '/api/v1/banks', {
    operationId: 'listBanks',
    scope: 'transfers',
    summary: 'Find a bank by its name or code',
    description:
      'Institutions with a COMPE code, by name, as the Central Bank lists them. One without such a code has an ISPB all the same.',
    query: banksQuery,
    responses: { 200: z.object({ data: z.array(listedBankSchema) }) },
    handle: async ({ query }) => ({ body: { data: searchBanks(query.search) } }),
  })
}
