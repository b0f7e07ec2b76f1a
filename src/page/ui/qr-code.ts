/** Of the package that makes QR codes, what the page takes: its drawings for terminals stay out. */
export { encode } from 'uqr';
