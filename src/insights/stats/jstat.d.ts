/** The part of jstat that is used; the package has no types. */
declare module 'jstat' {
  const jstat: {
    jStat: {
      studentt: { inv(probability: number, degreesOfFreedom: number): number };
      noncentralt: { cdf(x: number, degreesOfFreedom: number, noncentrality: number): number };
    };
  };
  export default jstat;
}
