declare module 'solc' {
  const solc: { compile(standardJson: string): string }
  export default solc
}
