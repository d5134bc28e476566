/** The part of jstat that is used; the package has no types. */
declare module 'jstat' {
  const jstat: {
    jStat: {
      noncentralt: { cdf(x: number, degreesOfFreedom: number, noncentrality: number): number };
      studentt: {
        inv(probability: number, degreesOfFreedom: number): number;
        cdf(value: number, degreesOfFreedom: number): number;
      };
    };
  };
  export default jstat;
}
