"""Readers of question sets in the shapes they are published in: files in, questions and coded rejections out."""
