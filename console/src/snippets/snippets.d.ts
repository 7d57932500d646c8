/** esbuild loads text files as text. */
declare module "*.txt" {
  const text: string;
  // oxlint-disable-next-line import/no-default-export -- the form in which the bundler offers a text
  export default text;
}
