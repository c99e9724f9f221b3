FROM golang:1
