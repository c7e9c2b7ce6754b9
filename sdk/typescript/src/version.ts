/** The version of this package, and of the API that it was written from. */
export const VERSION = '0.1.0'
