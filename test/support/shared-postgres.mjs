// jest imports this kind of file itself, without turning it into CommonJS, which what it is about cannot be.
export { default } from './shared-postgres.ts'
